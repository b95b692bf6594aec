#pragma once

#include <cmath>
#include <vector>

#include "cuda/sparse/ranks/team_program.hpp"
#include "matrix/dense.hpp"

namespace spsolve::cuda {

/// The launches of an elimination, in plain loops and host memory, for matrices that need no
/// pivoting: programs are tried out by it where there is no GPU.
class LoopedGpu {
 public:
  LoopedGpu(Factorization kind, const DeviceLayout& layout, EliminationProgram program,
            std::vector<LocalIndex> in_parent)
      : kind_(kind),
        layouts_(layout.fronts),
        elementwise_(layout.elementwise),
        program_(std::move(program)),
        in_parent_(std::move(in_parent)),
        arena_(static_cast<std::size_t>(layout.elements), NAN) {}

  double* arena() { return arena_.data(); }
  const FrontLayout& layout_of(int front) const { return layouts_[front]; }
  void clear(Index begin, Index end) {
    std::fill(arena_.begin() + begin, arena_.begin() + end, 0.0);
  }

  /// place_entries().
  void place_entries(const FrontEntries& entries, const std::vector<double>& values) {
    for (std::size_t s = 0; s < layouts_.size(); ++s) {
      for (const FrontEntry& entry : entries.of(static_cast<LocalIndex>(s))) {
        arena_[place_of(layouts_[s], entry)] = values[entry.source];
      }
    }
  }

  void run(const EliminationStep& step) {
    using What = EliminationStep::What;
    for (Index i = step.begin; i < step.begin + step.count; ++i) {
      switch (step.what) {
        case What::small:
          eliminate_small(layouts_[program_.fronts[i]]);
          break;
        case What::assemble:
          assemble(program_.pieces[i]);
          break;
        case What::gather:
          arena_[elementwise_.elements[i].place] += sum_of(elementwise_.elements[i]);
          break;
        case What::invert:
          invert(layouts_[program_.fronts[i]], step.side);
          break;
        case What::multiply: {
          const ProductTile& tile = program_.tiles[i];
          const FrontProduct& product = program_.products[tile.product];
          multiply(product, tile.row * product_tile, tile.column * product_tile, product_tile);
          break;
        }
        case What::library:
          multiply(program_.products[i], 0, 0, program_.products[i].m + program_.products[i].n);
          break;
      }
    }
  }

  /// move_shares() of one piece.
  void move(const FrontMove& move, const ShareTile& tile, const std::vector<int>& places) {
    const int row = tile.row * share_tile, column = tile.column * share_tile;
    for (int c = column; c < std::min(move.columns, column + share_tile); ++c) {
      for (int r = row; r < std::min(move.rows, row + share_tile); ++r) {
        const double value = arena_[move.from + r + c * Index{move.ld_from}];
        if (move.what == FrontMove::copy) {
          arena_[move.to + r + c * Index{move.ld_to}] = value;
          continue;
        }
        const int i = places[move.row_places + r], j = places[move.column_places + c];
        if (move.symmetric && r + move.below < c) continue;
        const auto in_panel = [&](int place, int base) {
          return place - base + (place < move.pivots ? 0 : move.gap);
        };
        const bool above =
            i < move.pivots && (j >= move.pivots || i / pivot_block < j / pivot_block);
        if (move.what == FrontMove::add_contribution) {
          arena_[move.to + i - move.base_row + (j - move.base_column) * Index{move.ld_to}] += value;
        } else if (move.what == FrontMove::add_lower && !above) {
          arena_[move.to + in_panel(i, move.base_row) +
                 (j - move.base_column) * Index{move.ld_to}] += value;
        } else if (move.what == FrontMove::add_upper && above) {
          arena_[move.to + in_panel(j, move.base_row) +
                 (i - move.base_column) * Index{move.ld_to}] += value;
        }
      }
    }
  }

  /// A front or panel of a solve, forward or backward: `rows` names the entries of the vector for
  /// its pivots and its border.
  void sweep(int front, bool forward, bool transposed, const std::vector<double*>& rows) const {
    const FrontLayout& layout = layouts_[front];
    const double* f = arena_.data() + (forward == transposed ? layout.upper : layout.lower);
    const int p = layout.pivots, n = p + layout.border;
    const auto at = [&](int row, int column) {
      return f[layout.place(layout.row_of(row), column)];
    };
    for (int i = 0; i < layout.blocks(); ++i) {
      const int t = forward ? i : layout.blocks() - 1 - i;
      const int begin = t * pivot_block, end = std::min(p, begin + pivot_block);
      std::vector<double> solved(end - begin, 0.0);
      if (forward) {
        for (int r = begin; r < end; ++r) {
          for (int c = begin; c < end; ++c) solved[r - begin] += at(r, c) * *rows[c];
        }
        for (int r = begin; r < end; ++r) *rows[r] = solved[r - begin];
        for (int r = end; r < n; ++r) {
          for (int c = begin; c < end; ++c) *rows[r] -= at(r, c) * *rows[c];
        }
      } else {
        for (int c = begin; c < end; ++c) {
          for (int r = end; r < n; ++r) *rows[c] -= at(r, c) * *rows[r];
        }
        for (int c = begin; c < end; ++c) {
          for (int r = begin; r < end; ++r) solved[c - begin] += at(r, c) * *rows[r];
        }
        for (int c = begin; c < end; ++c) *rows[c] = solved[c - begin];
      }
    }
  }

 private:
  static Index place_of(const FrontLayout& front, const FrontEntry& entry) {
    if (entry.column < 0) {
      return front.upper + front.place(front.border_row + entry.row, ~entry.column);
    }
    if (entry.row / pivot_block < entry.column / pivot_block) {
      return front.upper + front.place(entry.column, entry.row);
    }
    return front.lower + front.place(front.row_of(entry.row), entry.column);
  }

  /// Entry (i, j) of a front, as lower and upper have it before it is eliminated.
  double* entry(const FrontLayout& front, int i, int j) {
    const int p = front.pivots;
    if (i >= p && j >= p) {
      return &arena_[front.contribution + i - p + (j - p) * Index{front.ld_contribution}];
    }
    if (j >= p || (i < p && i / pivot_block < j / pivot_block)) {
      return kind_ == Factorization::lu ? &arena_[front.upper + front.place(front.row_of(j), i)]
                                        : nullptr;
    }
    return &arena_[front.lower + front.place(front.row_of(i), j)];
  }

  template <typename Wanted>
  void extend_add(const FrontLayout& front, int first, int last, const Wanted& wanted) {
    for (int c = first; c < last; ++c) {
      const FrontLayout& child = layouts_[elementwise_.children[c]];
      const LocalIndex* const places = in_parent_.data() + child.border_begin;
      for (int b = 0; b < child.border; ++b) {
        for (int a = 0; a < child.border; ++a) {
          if (kind_ != Factorization::lu && a < b) continue;
          if (!wanted(places[a], places[b])) continue;
          *entry(front, places[a], places[b]) +=
              arena_[child.contribution + a + b * Index{child.ld_contribution}];
        }
      }
    }
  }

  double sum_of(const AssembledElement& element) const {
    double sum = 0;
    for (Index k = element.begin; k < element.end; ++k) sum += arena_[elementwise_.sources[k]];
    return sum;
  }

  void assemble(const AssemblyPiece& piece) {
    const FrontLayout& front = layouts_[piece.front];
    const int p = front.pivots;
    if (piece.part == AssemblyPiece::contribution) {
      for (int c = piece.begin; c < piece.end; ++c) {
        for (int r = piece.across; r < piece.across_end; ++r) *entry(front, p + r, p + c) = 0;
      }
    }
    const auto within = [](int i, int begin, int end) { return begin <= i && i < end; };
    extend_add(front, piece.child_begin, piece.child_end, [&](int i, int j) {
      const bool border = i >= p && j >= p;
      const bool above = !border && (j >= p || (i < p && i / pivot_block < j / pivot_block));
      switch (piece.part) {
        case AssemblyPiece::contribution:
          return border && within(j - p, piece.begin, piece.end) &&
                 within(i - p, piece.across, piece.across_end);
        case AssemblyPiece::upper:
          return above && within(i, piece.begin, piece.end) &&
                 within(j, piece.across, piece.across_end);
        default:
          return !border && !above && within(j, piece.begin, piece.end) &&
                 within(i, piece.across, piece.across_end);
      }
    });
  }

  /// L^-1 and U^-T of a block of rows and columns, which has L U of no pivoting.
  struct Inverted {
    Dense<double> lower, upper;
  };
  static Dense<double> inverse_of_lower(const Dense<double>& l) {
    const Index n = l.rows;
    Dense<double> x(n, n);
    for (Index c = 0; c < n; ++c) {
      for (Index r = c; r < n; ++r) {
        double sum = r == c ? 1.0 : 0.0;
        for (Index k = c; k < r; ++k) sum -= l(r, k) * x(k, c);
        x(r, c) = sum / l(r, r);
      }
    }
    return x;
  }
  Inverted inverted(const Dense<double>& block) const {
    const Index n = block.rows;
    Dense<double> l(n, n), u(n, n);  // u transposed
    for (Index k = 0; k < n; ++k) {
      l(k, k) = 1;
      for (Index i = k; i < n; ++i) {
        double upper = block(k, i), lower = block(i, k);
        for (Index j = 0; j < k; ++j) {
          upper -= l(k, j) * u(i, j);
          lower -= l(i, j) * u(k, j);
        }
        u(i, k) = upper;
        if (i > k) l(i, k) = lower / u(k, k);
      }
    }
    if (kind_ == Factorization::cholesky) {
      for (Index c = 0; c < n; ++c) {
        const double root = std::sqrt(u(c, c));
        for (Index r = c; r < n; ++r) l(r, c) *= root;
      }
    }
    return {inverse_of_lower(l), inverse_of_lower(u)};
  }

  void invert(const FrontLayout& front, int number) {
    const int begin = number * pivot_block, n = std::min(pivot_block, front.pivots - begin);
    const Index ld = front.panel_of(begin).ld;
    double* const lower = &arena_[front.lower + front.place(begin, begin)];
    double* const upper = &arena_[front.upper + front.place(begin, begin)];
    Dense<double> block(n, n);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        const bool mirrored = kind_ != Factorization::lu && r < c;
        block(r, c) = mirrored ? lower[c + r * ld] : lower[r + c * ld];
      }
    }
    const Inverted of = inverted(block);
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) {
        lower[r + c * ld] = of.lower(r, c);
        if (kind_ != Factorization::cholesky) upper[r + c * ld] = of.upper(r, c);
      }
    }
  }

  void multiply(const FrontProduct& product, int row, int column, int side) {
    const int rows = std::min(product.m, row + side), columns = std::min(product.n, column + side);
    std::vector<double> sums;
    for (int j = column; j < columns; ++j) {
      for (int i = row; i < rows; ++i) {
        double sum = 0;
        for (int k = 0; k < product.k; ++k) {
          sum += arena_[product.a + i + k * Index{product.lda}] *
                 arena_[product.b + j + k * Index{product.ldb}];
        }
        sums.push_back(sum);
      }
    }
    std::size_t next = 0;
    for (int j = column; j < columns; ++j) {
      for (int i = row; i < rows; ++i) {
        double& c = arena_[product.c + i + j * Index{product.ldc}];
        c = product.what == FrontProduct::subtract ? c - sums[next] : sums[next];
        ++next;
      }
    }
  }

  void eliminate_small(const FrontLayout& front) {
    const int p = front.pivots, m = front.border;
    for (int c = 0; c < m; ++c) {
      for (int r = 0; r < m; ++r) *entry(front, p + r, p + c) = 0;
    }
    extend_add(front, front.child_begin, front.child_end - front.elementwise_children,
               [](int, int) { return true; });
    const Index stride = small_front_stride(p + m);
    for (int g = front.elementwise_begin; g < front.elementwise_end; ++g) {
      const AssembledElement& element = elementwise_.elements[g];
      *entry(front, static_cast<int>(element.place % stride),
             static_cast<int>(element.place / stride)) += sum_of(element);
    }
    invert(front, 0);
    const bool lu = kind_ == Factorization::lu;
    FrontProduct panel;
    panel.lda = panel.ldb = panel.ldc = front.ld;
    panel.m = m;
    panel.n = panel.k = p;
    panel.what = FrontProduct::assign;
    const auto side_of = [&](Index from, Index to, Index inverse) {
      panel.a = from + front.border_row;
      panel.c = to + front.border_row;
      panel.b = inverse;
      multiply(panel, 0, 0, m + p);
    };
    if (kind_ != Factorization::cholesky) {
      side_of(lu ? front.upper : front.lower, front.upper, front.lower);
    }
    side_of(front.lower, front.lower, front.upper);
    FrontProduct border;
    border.a = front.lower + front.border_row;
    border.b = front.upper + front.border_row;
    border.c = front.contribution;
    border.lda = border.ldb = front.ld;
    border.ldc = front.ld_contribution;
    border.m = border.n = m;
    border.k = p;
    multiply(border, 0, 0, m);
  }

  Factorization kind_;
  std::vector<FrontLayout> layouts_;
  ElementwiseAssembly elementwise_;
  EliminationProgram program_;
  std::vector<LocalIndex> in_parent_;
  std::vector<double> arena_;
};

}  // namespace spsolve::cuda
