#include "distribute/row_bands.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

TEST(RowBands, CoverAllRowsInOrderAndNearlyEqually) {
  for (const Index rows : {0, 1, 2, 5, 7, 100, 101}) {
    for (const int ranks : {1, 2, 3, 5, 8, 130}) {
      const RowBands bands{rows, ranks};
      Index next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range band = bands.band(rank);
        EXPECT_EQ(band.first, next);
        EXPECT_GE(band.size(), rows / ranks);
        EXPECT_LE(band.size(), rows / ranks + 1);
        for (Index row = band.first; row < band.last; ++row) EXPECT_EQ(bands.owner(row), rank);
        next = band.last;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

TEST(RowBands, CountBeyondThirtyTwoBits) {
  const RowBands bands{Index{1} << 40, 3};
  EXPECT_EQ(bands.owner((Index{1} << 40) - 1), 2);
  EXPECT_EQ(bands.band(2).last, Index{1} << 40);
}

}  // namespace
}  // namespace spsolve
