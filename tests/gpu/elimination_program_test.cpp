#include "cuda/sparse/fronts/elimination_program.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::cuda {
namespace {

using What = EliminationStep::What;

/// The program of a matrix with large fronts. Needs no GPU.
struct Written {
  explicit Written(Factorization of)
      : kind(of),
        analysis(test::analysis_of(generate_matrix("grid3d:16"), of)),
        layout(lay_out_fronts(analysis->fronts, of)),
        program(write_program(layout, of)) {}

  Factorization kind;
  std::shared_ptr<const SparseAnalysis> analysis;
  DeviceLayout layout;
  EliminationProgram program;
};

void for_kinds(void (*work)(const Written&)) {
  for (const Factorization kind :
       {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
    SCOPED_TRACE(static_cast<int>(kind));
    work(Written(kind));
  }
}

TEST(EliminationProgram, EliminatesEveryFrontOnceBehindItsChildren) {
  for_kinds([](const Written& written) {
    std::vector<int> blocks(written.layout.fronts.size(), 0);
    for (const EliminationStep& step : written.program.steps) {
      if (step.what != What::small && step.what != What::invert) continue;
      for (Index i = step.begin; i < step.begin + step.count; ++i) {
        const int s = written.program.fronts[i];
        const FrontLayout& front = written.layout.fronts[s];
        if (step.what == What::small) {
          EXPECT_LE(front.pivots + front.border, step.rows);
          EXPECT_LE(front.pivots, step.side);
        } else {
          EXPECT_EQ(blocks[s], step.side) << "blocks come one after another";
        }
        if (blocks[s] == 0) {
          for (int c = front.child_begin; c < front.child_end; ++c) {
            const LocalIndex child = written.analysis->fronts.children[c];
            EXPECT_EQ(blocks[child], written.layout.fronts[child].blocks());
          }
        }
        ++blocks[s];
      }
    }
    for (std::size_t s = 0; s < blocks.size(); ++s) {
      EXPECT_EQ(blocks[s], written.layout.fronts[s].blocks());
    }
  });
}

/// A front of p pivots and a border of m rows, with a child below and a parent above it.
DeviceLayout chain_of_three(int p, int m, int panel_columns = widest_panel) {
  DeviceLayout all;
  all.fronts.resize(3);
  FrontLayout &child = all.fronts[0], &front = all.fronts[1], &parent = all.fronts[2];
  child.pivots = pivot_block;
  child.border = p + m;
  child.parent = 1;
  front.pivots = p;
  front.border = m;
  front.child_end = 1;
  front.parent = 2;
  parent.pivots = m;
  parent.child_begin = 1;
  parent.child_end = 2;
  for (FrontLayout& front_layout : all.fronts) {
    front_layout.panel_columns = panel_columns;
    front_layout.border_row = front_layout.pivots;
    front_layout.ld = front_layout.pivots + front_layout.border;
    front_layout.ld_contribution = front_layout.border;
  }
  all.by_level = {0, 1, 2};
  all.level_starts = {0, 1, 2, 3};
  all.parts = {{0, 3, 0, 0}};
  return all;
}

TEST(EliminationProgram, TellsWhatDoesTheFlops) {
  for (const char* spec : {"grid3d:16", "circuit:2000", "random_dense:60"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const auto analysis = test::analysis_of(matrix, Factorization::lu);
    const DeviceLayout layout = lay_out_fronts(analysis->fronts, Factorization::lu);
    const EliminationProgram program = write_program(layout, Factorization::lu);
    const KernelStatistics kernel_statistics =
        kernel_statistics_of(program, layout, Factorization::lu);
    EXPECT_EQ(kernel_statistics.launches, std::ssize(program.steps) + 2);
    double small = 0;
    for (LocalIndex s = 0; s < analysis->fronts.size(); ++s) {
      if (layout.fronts[s].is_small()) small += front_flops(analysis->fronts, s, false);
    }
    EXPECT_DOUBLE_EQ(kernel_statistics.small_flops, small);
    EXPECT_LE(kernel_statistics.small_flops + kernel_statistics.library_flops,
              1.001 * analysis->flops);
    EXPECT_EQ(kernel_statistics.library_flops, 0);  // of these small ones
  }
  // A large front's update is the library's, in panels or in one.
  for (const int panel_columns : {1024, 4096}) {
    DeviceLayout layout = chain_of_three(2048, 4096, panel_columns);
    const EliminationProgram program = write_program(layout, Factorization::lu);
    EXPECT_GT(kernel_statistics_of(program, layout, Factorization::lu).library_flops,
              2.0 * 4096 * 4096 * 2048);
  }
}

double flops_of_products(const EliminationProgram& program) {
  double flops = 0;
  for (const EliminationStep& step : program.steps) {
    for (Index i = step.begin; i < step.begin + step.count; ++i) {
      if (step.what == What::library) {
        const FrontProduct& product = program.products[i];
        flops += 2.0 * product.m * product.n * product.k;
      } else if (step.what == What::multiply) {
        const ProductTile& tile = program.tiles[i];
        const FrontProduct& product = program.products[tile.product];
        flops += 2.0 * std::min(product_tile, product.m - tile.row * product_tile) *
                 std::min(product_tile, product.n - tile.column * product_tile) * product.k;
      }
    }
  }
  return flops;
}

TEST(EliminationProgram, MultipliesAsMuchInPanelsAsInOne) {
  for (const Factorization kind :
       {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
    for (const int p : {1024, 4096, 5000}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << p);
      const double whole = flops_of_products(write_program(chain_of_three(p, 3000, 8192), kind));
      const double cut = flops_of_products(write_program(chain_of_three(p, 3000, 1024), kind));
      EXPECT_NEAR(cut / whole, 1, 0.01);
    }
  }
}

TEST(EliminationProgram, BeginsEarlyOnlyRightBehindSmallFronts) {
  for (const char* spec : {"grid2d:40", "grid3d:16", "circuit:2000", "random_dense:60"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const auto analysis = test::analysis_of(matrix, Factorization::lu);
    const DeviceLayout whole = lay_out_fronts(analysis->fronts, Factorization::lu);
    // Also where values of A are placed again and again, in between.
    for (const Index room : {whole.elements, Index{0}}) {
      const DeviceLayout layout = lay_out_fronts(analysis->fronts, Factorization::lu, room);
      const EliminationProgram program = write_program(layout, Factorization::lu);
      ASSERT_EQ(program.part_ends.size(), layout.parts.size());
      std::vector<Index> begins{0};
      begins.insert(begins.end(), program.part_ends.begin(), program.part_ends.end());
      for (Index i = 0; i < std::ssize(program.steps); ++i) {
        const bool first = std::find(begins.begin(), begins.end(), i) != begins.end();
        const bool behind = !first && program.steps[i - 1].what == What::small;
        EXPECT_GT(program.steps[i].count, 0);
        EXPECT_EQ(program.steps[i].follows, behind && program.steps[i].what == What::small);
      }
    }
  }
}

TEST(EliminationProgram, ComputesEveryTileWithinItsProduct) {
  for_kinds([](const Written& written) {
    for (const EliminationStep& step : written.program.steps) {
      if (step.what != What::multiply) continue;
      for (Index i = step.begin; i < step.begin + step.count; ++i) {
        const ProductTile& tile = written.program.tiles[i];
        const FrontProduct& product = written.program.products[tile.product];
        ASSERT_LT(tile.row * product_tile, product.m);
        ASSERT_LT(tile.column * product_tile, product.n);
        for (const Index place : {product.a, product.b, product.c}) ASSERT_EQ(place % 4, 0);
      }
    }
    const double flops = flops_of_products(written.program);
    // Small fronts and diagonal blocks are not in it; tiles on the diagonal are computed whole.
    EXPECT_GT(flops, 0.5 * written.analysis->flops);
    EXPECT_LT(flops, 2.5 * written.analysis->flops);
  });
}

/// Rows and columns of a part of the arena: of lower or upper, or of a front's contribution block.
struct ArenaPiece {
  Index part = 0;
  Range rows, columns;

  bool overlaps(const ArenaPiece& other) const {
    const auto meet = [](const Range& a, const Range& b) {
      return a.first < b.last && b.first < a.last;
    };
    return part == other.part && meet(rows, other.rows) && meet(columns, other.columns);
  }
};

/// The places that a product, or a tile of it, writes and reads.
struct Touched {
  ArenaPiece written, read[2];

  Touched(const DeviceLayout& layout, const FrontProduct& product, const Range& rows,
          const Range& columns)
      : written(piece(layout, product.c, product.ldc, rows, columns)),
        read{piece(layout, product.a, product.lda, rows, {0, product.k}),
             piece(layout, product.b, product.ldb, columns, {0, product.k})} {}

  bool hangs_on(const Touched& other) const {
    return written.overlaps(other.written) || read[0].overlaps(other.written) ||
           read[1].overlaps(other.written);
  }

 private:
  static ArenaPiece piece(const DeviceLayout& layout, Index place, Index ld, const Range& rows,
                          const Range& columns) {
    Index part = 0;  // the last one that begins before
    const auto look_at = [&](Index begin) {
      if (begin <= place) part = std::max(part, begin);
    };
    for (const FrontLayout& front : layout.fronts) {
      look_at(front.contribution);
      for (int k = 0; k < front.pivots; k = front.panel_end(k)) {
        for (const Index begin : {front.lower, front.upper}) look_at(begin + front.place(k, k));
      }
    }
    const Index row = (place - part) % ld, column = (place - part) / ld;
    return {
        part, {row + rows.first, row + rows.last}, {column + columns.first, column + columns.last}};
  }
};

std::vector<Touched> touched_by(const EliminationStep& step, const EliminationProgram& program,
                                const DeviceLayout& layout) {
  if (step.what == What::library) {
    const FrontProduct& product = program.products[step.begin];
    return {Touched(layout, product, {0, product.m}, {0, product.n})};
  }
  std::vector<Touched> all;
  for (Index i = step.begin; i < step.begin + step.count; ++i) {
    const ProductTile& tile = program.tiles[i];
    const FrontProduct& product = program.products[tile.product];
    const auto part = [](int number, int end) {
      return Range{number * product_tile, std::min((number + 1) * product_tile, end)};
    };
    all.emplace_back(layout, product, part(tile.row, product.m), part(tile.column, product.n));
  }
  return all;
}

/// How many steps may be concurrent with the one before, and pairs of products that may be
/// concurrent of which one reads or writes what the other one writes.
std::array<int, 2> turns_and_clashes(int panel_columns, Factorization kind) {
  DeviceLayout layout = chain_of_three(2048, 4096, panel_columns);
  Index next = 0;
  for (FrontLayout& front_layout : layout.fronts) {
    next = lay_out_factors_at(next, kind, front_layout);
    front_layout.contribution = next;
    next += static_cast<Index>(front_layout.ld_contribution) * front_layout.border;
  }
  const EliminationProgram program = write_program(layout, kind);
  std::vector<Touched> before;  // by the steps that the next one may be concurrent with
  int beside = 0, wrong = 0;
  for (const EliminationStep& step : program.steps) {
    if (!step.beside) before.clear();
    if (step.what != What::library && step.what != What::multiply) continue;
    beside += step.beside ? 1 : 0;
    const std::vector<Touched> now = touched_by(step, program, layout);
    for (const Touched& a : before) {
      for (const Touched& b : now) wrong += a.hangs_on(b) || b.hangs_on(a) ? 1 : 0;
    }
    before.insert(before.end(), now.begin(), now.end());
    if (step.what != What::multiply) continue;
    std::vector<Touched> products;  // of this launch
    int last = -1;
    for (Index i = step.begin; i < step.begin + step.count; ++i) {
      if (program.tiles[i].product == last) continue;
      last = program.tiles[i].product;
      const FrontProduct& product = program.products[last];
      const Touched own(layout, product, {0, product.m}, {0, product.n});
      for (const Touched& other : products) {
        wrong += own.hangs_on(other) || other.hangs_on(own) ? 1 : 0;
      }
      products.push_back(own);
    }
  }
  return {beside, wrong};
}

TEST(EliminationProgram, ProductsThatTakeTurnsHangOnNothingOfEachOther) {
  for (const int panel_columns : {4096, 1024, 512}) {
    for (const Factorization kind :
         {Factorization::lu, Factorization::cholesky, Factorization::ldlt}) {
      SCOPED_TRACE(testing::Message()
                   << "kind " << static_cast<int>(kind) << ", panels of " << panel_columns);
      const auto [beside, wrong] = turns_and_clashes(panel_columns, kind);
      if (panel_columns > 512) {
        EXPECT_GT(beside, 0);
      }
      EXPECT_EQ(wrong, 0);
    }
  }
}

/// How often a front's entries (i, j), row by row, are assembled by its pieces, as the kernel does.
std::vector<int> times_assembled(const EliminationProgram& program, int front, int p, int m) {
  const int n = p + m;
  std::vector<int> times(static_cast<std::size_t>(n) * n);
  const auto count = [&](int i, int j) { ++times[static_cast<std::size_t>(i) * n + j]; };
  for (const AssemblyPiece& piece : program.pieces) {
    if (piece.front != front) continue;
    EXPECT_LE(piece.end - piece.begin, piece_columns);
    EXPECT_LE(piece.across_end - piece.across, piece_rows);
    for (int a = piece.begin; a < piece.end; ++a) {
      for (int b = piece.across; b < piece.across_end; ++b) {
        const bool later_block = b >= p || b / pivot_block > a / pivot_block;
        switch (piece.part) {
          case AssemblyPiece::lower:
            if (b >= a / pivot_block * pivot_block) count(b, a);
            break;
          case AssemblyPiece::upper:
            if (later_block) count(a, b);
            break;
          default:
            count(p + b, p + a);
        }
      }
    }
  }
  return times;
}

TEST(EliminationProgram, TakesInEveryEntryOnce) {
  // Blocks of pivots that are no whole ones end before, at and after the ends of pieces.
  for (const int p : {1, 64, 100, 995, 1000, 1023, 1024, 1030}) {
    for (const int m : {65, 1100}) {
      for (const Factorization kind :
           {Factorization::lu, Factorization::cholesky, Factorization::ldlt}) {
        SCOPED_TRACE(testing::Message() << p << " pivots, border " << m);
        const EliminationProgram program = write_program(chain_of_three(p, m), kind);
        const std::vector<int> times = times_assembled(program, 1, p, m);
        const int n = p + m;
        int wrong = 0;
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            if (kind != Factorization::lu && i < j) continue;
            if (times[static_cast<std::size_t>(i) * n + j] != 1) ++wrong;
          }
        }
        EXPECT_EQ(wrong, 0);
      }
    }
  }
}

}  // namespace
}  // namespace spsolve::cuda
