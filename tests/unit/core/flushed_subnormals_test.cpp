#include "core/blas/flushed_subnormals.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "sparse/fronts/schedule.hpp"
#include "sparse/fronts/tiles.hpp"

namespace spsolve {
namespace {

/// Half of the smallest normal number, by this thread.
double half_of_least() {
  volatile double least = std::numeric_limits<double>::min();
  return least / 2;
}

TEST(FlushedSubnormals, AreZerosMeanwhile) {
#ifndef __SSE2__
  GTEST_SKIP() << "this processor's are left alone";
#endif
  EXPECT_GT(half_of_least(), 0);
  {
    const FlushedSubnormals flushed;
    EXPECT_EQ(half_of_least(), 0);
    {
      const FlushedSubnormals again(false);
      EXPECT_GT(half_of_least(), 0);
    }
    EXPECT_EQ(half_of_least(), 0);
  }
  EXPECT_GT(half_of_least(), 0);
}

TEST(FlushedSubnormals, ThreadsOfFrontsDoAsTheirCaller) {
#ifndef __SSE2__
  GTEST_SKIP() << "this processor's are left alone";
#endif
  for (const bool flushes : {true, false, true}) {
    const FlushedSubnormals flushed(flushes);
    std::vector<double> by_tile(64), by_subtree(64);
    Tiles(4).run(64, [&](Index i, Index) { by_tile[i] = half_of_least(); });
    for_subtrees(64, 4, [&](std::size_t i, int) { by_subtree[i] = half_of_least(); });
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(by_tile[i] == 0, flushes);
      EXPECT_EQ(by_subtree[i] == 0, flushes);
    }
  }
}

}  // namespace
}  // namespace spsolve
