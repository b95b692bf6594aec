#include "sparse/fronts/front_places.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

struct Block {
  Index begin, end;
  int from, until;  ///< levels
};

/// What lies in the arena as long as it is needed.
std::vector<Block> blocks_of(const FrontPlaces& all, Factorization kind) {
  std::vector<int> level(all.places.size());
  for (int l = 0; l < all.levels(); ++l) {
    for (Index i = all.level_starts[l]; i < all.level_starts[l + 1]; ++i)
      level[all.by_level[i]] = l;
  }
  std::vector<Block> blocks;
  const int last = all.levels();
  for (std::size_t s = 0; s < all.places.size(); ++s) {
    const FrontPlace& front = all.places[s];
    const Index size = static_cast<Index>(front.ld) * front.pivots;
    blocks.push_back({front.lower, front.lower + size, 0, last});
    if (kind == Factorization::cholesky) {
      EXPECT_EQ(front.upper, front.lower);
    } else {
      blocks.push_back({front.upper, front.upper + size, 0, last});
    }
    if (front.parent < 0) continue;
    EXPECT_GT(level[front.parent], level[s]);
    const Index passed = static_cast<Index>(front.ld_passed) * front.border;
    blocks.push_back({front.passed_up, front.passed_up + passed, level[s], level[front.parent]});
  }
  return blocks;
}

TEST(FrontPlaces, AreApartAsLongAsTheyAreNeeded) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = test::analysis_of(matrix, kind);
    const FrontPlaces all = place_fronts(analysis->fronts, kind);
    std::vector<Block> blocks = blocks_of(all, kind);
    std::sort(blocks.begin(), blocks.end(),
              [](const Block& a, const Block& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_LE(blocks[i].end, all.elements);
      for (std::size_t j = i + 1; j < blocks.size() && blocks[j].begin < blocks[i].end; ++j) {
        const bool at_once = blocks[i].from <= blocks[j].until && blocks[j].from <= blocks[i].until;
        EXPECT_FALSE(at_once) << blocks[i].begin << " and " << blocks[j].begin;
      }
    }
  });
}

TEST(FrontPlaces, AlignLargeFronts) {
  const Csr<double> matrix = generate_matrix("grid3d:14");
  const auto analysis = test::analysis_of(matrix, Factorization::lu);
  Index large = 0;
  for (const FrontPlace& front : place_fronts(analysis->fronts, Factorization::lu).places) {
    if (front.is_small()) {
      EXPECT_EQ(front.ld, front.pivots + front.border);
      continue;
    }
    ++large;
    for (const Index place : {front.lower, front.upper, front.passed_up}) EXPECT_EQ(place % 4, 0);
    for (const int size : {front.ld, front.ld_passed, front.border_row}) EXPECT_EQ(size % 4, 0);
    EXPECT_GE(front.border_row, front.pivots);
    EXPECT_GE(front.ld, front.border_row + front.border);
  }
  EXPECT_GT(large, 0);
}

TEST(FrontPlaces, SubtreesOfSmallFrontsComeFirst) {
  const auto analysis = test::analysis_of(generate_matrix("grid2d:120"), Factorization::cholesky);
  const FrontPlaces all = place_fronts(analysis->fronts, Factorization::cholesky);
  ASSERT_GT(all.low_levels, 0);
  ASSERT_LT(all.low_levels, all.levels());
  const Index low = all.level_starts[all.low_levels];
  for (Index i = 0; i < static_cast<Index>(all.by_level.size()); ++i) {
    const FrontPlace& front = all.places[all.by_level[i]];
    bool all_small = true;
    for (LocalIndex s = analysis->fronts.first_of_subtree[all.by_level[i]]; s <= all.by_level[i];
         ++s) {
      all_small = all_small && all.places[s].is_small();
    }
    EXPECT_EQ(i < low, all_small) << front.first;
  }
}

// As many levels as fronts: with work for every pair of levels this test takes minutes.
TEST(FrontPlaces, OfALongChainAreFoundOneAfterAnother) {
  const auto analysis =
      test::analysis_of(generate_matrix("tridiagonal:2000000"), Factorization::cholesky);
  const FrontPlaces all = place_fronts(analysis->fronts, Factorization::cholesky);
  ASSERT_GT(all.levels(), 100000);
  // A front and its parent are there at once, and no more.
  EXPECT_LE(all.elements - all.factor_elements, 16);
}

TEST(FrontPlaces, TakeNoMoreThanIsPlanned) {
  const auto analysis = test::analysis_of(generate_matrix("grid3d:12"), Factorization::lu);
  const FrontPlaces all = place_fronts(analysis->fronts, Factorization::lu);
  const GpuFactorMemory memory = gpu_factor_memory(analysis->fronts, Factorization::lu, 1000, 900);
  EXPECT_EQ(memory.factors + memory.stack,
            all.elements * static_cast<std::int64_t>(sizeof(double)));
  EXPECT_GT(memory.lists, 0);
}

}  // namespace
}  // namespace spsolve
