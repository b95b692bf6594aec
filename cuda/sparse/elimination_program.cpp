#include "cuda/sparse/elimination_program.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace spsolve::cuda {

namespace {

using What = EliminationStep::What;

/// Flops from which on a product alone fills a GPU, so that the vendor's library is faster.
constexpr double library_flops = 4e9;

/// Columns of a product by the library where what is above the diagonal is not wanted.
constexpr int strip_columns = 1024;

class Writer {
 public:
  Writer(const FrontPlaces& places, Factorization kind) : places_(places), kind_(kind) {}

  EliminationProgram write() {
    for (const FrontPart& part : places_.parts) {
      for (int level = part.first_level; level < part.end_level; ++level) write_level(level);
      program_.part_ends.push_back(static_cast<Index>(program_.steps.size()));
    }
    return std::move(program_);
  }

 private:
  void write_level(int level) {
    const std::span<const LocalIndex> all(
        places_.by_level.data() + places_.level_starts[level],
        places_.by_level.data() + places_.level_starts[level + 1]);
    std::vector<int> large;
    std::vector<int> small;
    for (const LocalIndex s : all) (place(s).is_small() ? small : large).push_back(s);
    write_small(small);
    if (!large.empty()) write_large(large);
  }

  const FrontPlace& place(int s) const { return places_.places[s]; }
  bool symmetric() const { return kind_ != Factorization::lu; }

  void add_step(What what, Index begin, Index end, int rows = 0, int side = 0) {
    if (begin < end) program_.steps.push_back({what, begin, end - begin, rows, side});
  }

  /// Small fronts by what shared memory and registers they take; those of several kinds in one
  /// launch where all of them are at work at once anyway, so that the level takes as long as its
  /// slowest front and not as the slowest ones of every kind one after another.
  void write_small(const std::vector<int>& fronts) {
    constexpr int rows_of[] = {16, 32, 48, small_front};
    constexpr int sides[] = {16, 32, pivot_block};
    constexpr std::size_t at_once = 264;  // two for each multiprocessor of a large GPU
    std::vector<int> by_kind[3][4];       // by side, then by rows
    for (const int s : fronts) {
      const int rows = place(s).pivots + place(s).border;
      const auto size = std::lower_bound(std::begin(rows_of), std::end(rows_of), rows);
      const auto side = std::lower_bound(std::begin(sides), std::end(sides), place(s).pivots);
      by_kind[side - std::begin(sides)][size - std::begin(rows_of)].push_back(s);
    }
    // Blocks of 64 pivots are eliminated by another algorithm, which others had better not wait
    // for.
    std::vector<int>(&narrow)[4] = by_kind[0], (&wide)[4] = by_kind[1];
    if (count_of(narrow) + count_of(wide) <= at_once && count_of(wide) > 0) {
      for (int k = 0; k < 4; ++k) move_to(wide[k], narrow[k]);
    }
    for (int i = 0; i < 3; ++i) {
      std::vector<int> together;
      for (int k = 0; k < 4; ++k) {
        move_to(together, by_kind[i][k]);
        const bool last = std::all_of(by_kind[i] + k + 1, by_kind[i] + 4,
                                      [](const auto& list) { return list.empty(); });
        if (!last && together.size() + count_of(by_kind[i]) <= at_once) continue;
        const Index begin = static_cast<Index>(program_.fronts.size());
        program_.fronts.insert(program_.fronts.end(), together.begin(), together.end());
        add_step(What::small, begin, static_cast<Index>(program_.fronts.size()), rows_of[k],
                 sides[i]);
        together.clear();
      }
    }
  }

  static std::size_t count_of(const std::vector<int> (&lists)[4]) {
    std::size_t count = 0;
    for (const auto& list : lists) count += list.size();
    return count;
  }

  static void move_to(std::vector<int>& to, std::vector<int>& from) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  }

  void write_large(std::vector<int>& fronts) {
    write_assembly(fronts);
    // The tallest first, so that block t is there in the first ones.
    std::stable_sort(fronts.begin(), fronts.end(),
                     [&](int a, int b) { return place(a).pivots > place(b).pivots; });
    const Index begin = static_cast<Index>(program_.fronts.size());
    program_.fronts.insert(program_.fronts.end(), fronts.begin(), fronts.end());
    for (int t = 0; t < place(fronts.front()).blocks(); ++t) {
      while (place(fronts.back()).blocks() <= t) fronts.pop_back();
      add_step(What::invert, begin, begin + static_cast<Index>(fronts.size()), 0, t);
      write_panels(fronts, t);
      write_updates(fronts, t);
    }
    write_borders(
        {program_.fronts.data() + begin, program_.fronts.data() + program_.fronts.size()});
  }

  void write_assembly(const std::vector<int>& fronts) {
    const Index begin = static_cast<Index>(program_.pieces.size());
    // `least_row`: the first row that is wanted of a column.
    const auto cut = [&](int s, int part, int columns, int rows, const auto& least_row) {
      for (int from = 0; from < columns; from += piece_columns) {
        const int end = std::min(columns, from + piece_columns);
        for (int row = least_row(from) / piece_rows * piece_rows; row < rows; row += piece_rows) {
          program_.pieces.push_back({s, from, end, row, std::min(rows, row + piece_rows), part});
        }
      }
    };
    const auto block_of = [](int column) { return column / pivot_block * pivot_block; };
    const auto all = [](int) { return 0; };
    const auto below = [](int column) { return column; };
    for (const int s : fronts) {
      const bool takes_in = place(s).child_begin < place(s).child_end;
      const int pivots = place(s).pivots, border = place(s).border;
      // Behind the last block of pivots, which may be no whole one, the border begins.
      const auto behind_block = [&](int column) {
        return std::min(pivots, block_of(column) + pivot_block);
      };
      if (takes_in) {
        cut(s, AssemblyPiece::lower, pivots, pivots + border, block_of);
        if (!symmetric()) cut(s, AssemblyPiece::upper, pivots, pivots + border, behind_block);
      }
      if (place(s).parent < 0) continue;
      if (symmetric()) {
        cut(s, AssemblyPiece::passed_up, border, border, below);
      } else {
        cut(s, AssemblyPiece::passed_up, border, border, all);
      }
    }
    add_step(What::assemble, begin, static_cast<Index>(program_.pieces.size()));
  }

  /// A product's tiles whose row minus column is at least `least`, and the last one on the diagonal
  /// where that is no whole block: rows of the border are in it.
  void add_tiles(const FrontProduct& product, int least) {
    if (product.m <= 0 || product.n <= 0) return;
    const int index = static_cast<int>(program_.products.size());
    program_.products.push_back(product);
    const int rows = (product.m + product_tile - 1) / product_tile;
    const int columns = (product.n + product_tile - 1) / product_tile;
    for (int j = 0; j < columns; ++j) {
      const bool whole = (j + 1) * product_tile <= product.n;
      const int first = std::max(0, whole ? j + least : std::min(j, j + least));
      for (int i = first; i < rows; ++i) program_.tiles.push_back({index, i, j});
    }
  }

  void finish_tiles(Index begin) {
    add_step(What::multiply, begin, static_cast<Index>(program_.tiles.size()));
  }

  /// Rows below the diagonal block times its inverse.
  void write_panels(const std::vector<int>& fronts, int t) {
    const auto panel = [&](const FrontPlace& front, Index from, Index to, Index inverse, int what) {
      const int end = std::min(front.pivots, (t + 1) * pivot_block), begin = t * pivot_block;
      const int row = end < front.pivots ? end : front.border_row;
      const Index column = static_cast<Index>(begin) * front.ld;
      FrontProduct product;
      product.a = from + column + row;
      product.c = to + column + row;
      product.b = inverse + column + begin;
      product.lda = product.ldb = product.ldc = front.ld;
      product.m = front.ld - row;
      product.n = product.k = end - begin;
      product.what = what;
      add_tiles(product, -product.n);
    };
    Index begin = static_cast<Index>(program_.tiles.size());
    if (kind_ != Factorization::cholesky) {
      for (const int s : fronts) {
        const Index from = kind_ == Factorization::lu ? place(s).upper : place(s).lower;
        panel(place(s), from, place(s).upper, place(s).lower, FrontProduct::assign);
      }
      if (kind_ == Factorization::ldlt) {  // its upper is made of lower before that changes
        finish_tiles(begin);
        begin = static_cast<Index>(program_.tiles.size());
      }
    }
    for (const int s : fronts) {
      const bool watches = kind_ != Factorization::cholesky;
      panel(place(s), place(s).lower, place(s).lower, place(s).upper,
            watches ? FrontProduct::assign_and_watch : FrontProduct::assign);
    }
    finish_tiles(begin);
  }

  /// C <- C - A B^T for tiles of which row minus column is at least `least`: by the library in
  /// strips of columns where that is large.
  void update(const FrontProduct& product, int least, std::vector<FrontProduct>& large) {
    if (product.m <= 0 || product.n <= 0) return;
    const double flops = 2.0 * product.m * product.n * product.k;
    if (flops < library_flops) return add_tiles(product, least);
    const bool whole = least < 0;
    const int width = whole ? product.n : strip_columns;
    for (int column = 0; column < product.n; column += width) {
      FrontProduct strip = product;
      strip.n = std::min(width, product.n - column);
      const int beyond = strip.n < product_tile ? 0 : least * product_tile;
      const int row = whole ? 0 : std::min(product.m, column + beyond);
      strip.m = product.m - row;
      strip.a += row;
      strip.b += column;
      strip.c += row + static_cast<Index>(column) * product.ldc;
      if (strip.m > 0) large.push_back(strip);
    }
  }

  void finish_updates(Index begin, const std::vector<FrontProduct>& large) {
    finish_tiles(begin);
    for (const FrontProduct& product : large) {
      const Index index = static_cast<Index>(program_.products.size());
      program_.products.push_back(product);
      add_step(What::library, index, index + 1);
    }
  }

  /// The columns right of block t by the last blocks up to it.
  void write_updates(const std::vector<int>& fronts, int t) {
    const Index begin = static_cast<Index>(program_.tiles.size());
    const int blocks = 1 << std::countr_zero(static_cast<unsigned>(t + 1));
    std::vector<FrontProduct> large;
    for (const int s : fronts) {
      const FrontPlace& front = place(s);
      const int first = (t + 1) * pivot_block;
      if (first >= front.pivots) continue;
      const int last = std::min(front.pivots, first + blocks * pivot_block);
      const Index k0 = (t + 1 - blocks) * pivot_block;
      FrontProduct product;
      product.lda = product.ldb = product.ldc = front.ld;
      product.m = front.ld - first;
      product.n = last - first;
      product.k = blocks * pivot_block;
      const Index from = k0 * front.ld + first, to = static_cast<Index>(first) * front.ld + first;
      product.a = front.lower + from;
      product.b = front.upper + from;
      product.c = front.lower + to;
      update(product, 0, large);
      if (symmetric()) continue;
      std::swap(product.a, product.b);
      product.c = front.upper + to;
      update(product, 1, large);
    }
    finish_updates(begin, large);
  }

  void write_borders(std::span<const int> fronts) {
    const Index begin = static_cast<Index>(program_.tiles.size());
    std::vector<FrontProduct> large;
    for (const int s : fronts) {
      const FrontPlace& front = place(s);
      if (front.parent < 0) continue;
      FrontProduct product;
      product.a = front.lower + front.border_row;
      product.b = front.upper + front.border_row;
      product.c = front.passed_up;
      product.lda = product.ldb = front.ld;
      product.ldc = front.ld_passed;
      product.m = product.n = front.border;
      product.k = front.pivots;
      update(product, symmetric() ? 0 : -product.n, large);
    }
    finish_updates(begin, large);
  }

  const FrontPlaces& places_;
  Factorization kind_;
  EliminationProgram program_;
};

}  // namespace

EliminationProgram write_program(const FrontPlaces& places, Factorization kind) {
  return Writer(places, kind).write();
}

}  // namespace spsolve::cuda
