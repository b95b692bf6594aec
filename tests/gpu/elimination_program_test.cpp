#include "cuda/sparse/elimination_program.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::cuda {
namespace {

using What = EliminationStep::What;

/// The program of a matrix with large fronts. Needs no GPU.
struct Written {
  explicit Written(Factorization of)
      : kind(of),
        analysis(test::analysis_of(generate_matrix("grid3d:16"), of)),
        places(place_fronts(analysis->fronts, of)),
        program(write_program(places, of)) {}

  Factorization kind;
  std::shared_ptr<const SparseAnalysis> analysis;
  FrontPlaces places;
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
    std::vector<int> blocks(written.places.places.size(), 0);
    for (const EliminationStep& step : written.program.steps) {
      if (step.what != What::small && step.what != What::invert) continue;
      for (Index i = step.begin; i < step.begin + step.count; ++i) {
        const int s = written.program.fronts[i];
        const FrontPlace& front = written.places.places[s];
        if (step.what == What::small) {
          EXPECT_LE(front.pivots + front.border, step.rows);
          EXPECT_LE(front.pivots, step.side);
        } else {
          EXPECT_EQ(blocks[s], step.side) << "blocks come one after another";
        }
        if (blocks[s] == 0) {
          for (int c = front.child_begin; c < front.child_end; ++c) {
            const LocalIndex child = written.analysis->fronts.children[c];
            EXPECT_EQ(blocks[child], written.places.places[child].blocks());
          }
        }
        ++blocks[s];
      }
    }
    for (std::size_t s = 0; s < blocks.size(); ++s) {
      EXPECT_EQ(blocks[s], written.places.places[s].blocks());
    }
  });
}

TEST(EliminationProgram, ComputesEveryTileWithinItsProduct) {
  for_kinds([](const Written& written) {
    double flops = 0;
    for (const EliminationStep& step : written.program.steps) {
      if (step.what == What::library) {
        const FrontProduct& product = written.program.products[step.begin];
        flops += 2.0 * product.m * product.n * product.k;
      }
      if (step.what != What::multiply) continue;
      for (Index i = step.begin; i < step.begin + step.count; ++i) {
        const ProductTile& tile = written.program.tiles[i];
        const FrontProduct& product = written.program.products[tile.product];
        ASSERT_LT(tile.row * product_tile, product.m);
        ASSERT_LT(tile.column * product_tile, product.n);
        const double rows = std::min(product_tile, product.m - tile.row * product_tile);
        const double columns = std::min(product_tile, product.n - tile.column * product_tile);
        flops += 2 * rows * columns * product.k;
        for (const Index place : {product.a, product.b, product.c}) ASSERT_EQ(place % 4, 0);
      }
    }
    // Small fronts and diagonal blocks are not in it; tiles on the diagonal are computed whole.
    EXPECT_GT(flops, 0.5 * written.analysis->flops);
    EXPECT_LT(flops, 2.5 * written.analysis->flops);
  });
}

}  // namespace
}  // namespace spsolve::cuda
