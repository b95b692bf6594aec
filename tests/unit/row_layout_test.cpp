#include "distribute/layout/row_layout.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

TEST(RowLayout, CoverAllRowsInOrderAndNearlyEqually) {
  for (const Index rows : {0, 1, 2, 5, 7, 100, 101}) {
    for (const int ranks : {1, 2, 3, 5, 8, 130}) {
      const RowLayout bands{rows, ranks};
      Index next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range band = bands.band(rank);
        EXPECT_EQ(band.first, next);
        // In whole pairs, but for the last row of an odd number.
        const Index pairs = (rows + 1) / 2;
        EXPECT_TRUE(band.first % 2 == 0 || band.first == rows);
        EXPECT_GE(band.size(), 2 * (pairs / ranks) - rows % 2);
        EXPECT_LE(band.size(), 2 * (pairs / ranks + 1));
        for (Index row = band.first; row < band.last; ++row) EXPECT_EQ(bands.owner(row), rank);
        next = band.last;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

TEST(RowLayout, KeepNodesWholeWhereTheyAreToldOf) {
  for (const Index size : {1, 2, 3, 5}) {
    for (const Index nodes : {0, 1, 4, 7, 40000}) {
      for (const int ranks : {1, 2, 3, 5}) {
        const RowLayout bands = bands_of_nodes(nodes * size, ranks, size);
        Index next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const Range band = bands.band(rank);
          EXPECT_EQ(band.first, next);
          EXPECT_EQ(band.size() % size, 0);
          EXPECT_NEAR(static_cast<double>(band.size()), static_cast<double>(nodes * size) / ranks,
                      24.0 * size);
          next = band.last;
        }
        EXPECT_EQ(next, nodes * size);
        if (size == 1) {
          EXPECT_EQ(bands, (RowLayout{nodes, ranks})) << "nothing is to be changed";
        }
      }
    }
  }
}

TEST(RowLayout, LocalNumbersAreThoseOfTheOwnersRows) {
  for (const RowLayout& layout :
       {RowLayout{29, 3}, RowLayout::cyclic(29, 3, 4), RowLayout::cyclic(29, 1, 4),
        RowLayout::cyclic(29, 3, 40), RowLayout::on_first_rank(29, 2)}) {
    for (int rank = 0; rank < layout.ranks; ++rank) {
      const std::vector<Index> rows = layout.global_rows(rank);
      for (Index i = 0; i < std::ssize(rows); ++i) {
        EXPECT_EQ(layout.owner(rows[i]), rank);
        EXPECT_EQ(layout.local_row(rows[i]), i);
      }
    }
  }
}

TEST(RowLayout, CountBeyondThirtyTwoBits) {
  const RowLayout bands{Index{1} << 40, 3};
  EXPECT_EQ(bands.owner((Index{1} << 40) - 1), 2);
  EXPECT_EQ(bands.band(2).last, Index{1} << 40);
}

TEST(RowLayout, KeepUnknownsOfANodeTogether) {
  const Index rows = 101 * 101 * 101 * 3;
  for (const int ranks : {2, 3, 7}) {
    std::vector<Index> offsets(static_cast<std::size_t>(rows) + 1);
    for (Index i = 0; i <= rows; ++i) offsets[i] = 5 * i;
    for (const RowLayout& bands :
         {RowLayout{rows, ranks}, bands_by_nonzeros(profile_of(offsets), ranks)}) {
      for (int rank = 0; rank < ranks; ++rank) {
        const Range band = bands.band(rank);
        EXPECT_EQ(band.first % 12, 0);
        EXPECT_NEAR(static_cast<double>(band.size()), static_cast<double>(rows) / ranks, 64);
        EXPECT_EQ(bands.owner(band.first), rank);
        EXPECT_EQ(bands.owner(band.last - 1), rank);
      }
      EXPECT_EQ(bands.band(ranks - 1).last, rows);
    }
  }
}

TEST(RowLayout, GivenBordersMayLeaveRanksEmpty) {
  const RowLayout bands{10, 4, {0, 0, 7, 7, 10}};
  EXPECT_EQ(bands.band(0), (Range{0, 0}));
  EXPECT_EQ(bands.band(1), (Range{0, 7}));
  EXPECT_EQ(bands.band(2), (Range{7, 7}));
  for (Index row = 0; row < 10; ++row) EXPECT_EQ(bands.owner(row), row < 7 ? 1 : 3);
}

TEST(BandsByNonzeros, AreNearlyEqual) {
  // Row i has i non-zeros: 0, 0, 1, 3, 6, ...
  std::vector<Index> offsets{0};
  for (Index i = 0; i < 1000; ++i) offsets.push_back(offsets.back() + i);
  for (const int ranks : {1, 2, 3, 7}) {
    const NonzeroProfile profile = profile_of(offsets);
    const RowLayout bands = bands_by_nonzeros(profile, ranks);
    Index next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Range band = bands.band(rank);
      EXPECT_EQ(band.first, next);
      next = band.last;
      // Each border is off by a row at most, half of a pair.
      EXPECT_NEAR(static_cast<double>(offsets[band.last] - offsets[band.first]),
                  static_cast<double>(offsets.back()) / ranks, 2000);
    }
    EXPECT_EQ(next, 1000);
    EXPECT_LT(imbalance(profile, bands), 1.02);
  }
  const NonzeroProfile profile = profile_of(offsets);
  EXPECT_GT(imbalance(profile, RowLayout{1000, 7}), 1.8);
  EXPECT_EQ(kind_of(choose_bands(BandsChoice::automatic, profile, 7)), "nonzeros");
  EXPECT_EQ(kind_of(choose_bands(BandsChoice::rows, profile, 7)), "rows");
}

TEST(BandsByNonzeros, OneRowWithEverything) {
  const std::vector<Index> offsets{0, 0, 0, 100, 100};
  const RowLayout bands = bands_by_nonzeros(profile_of(offsets), 3);
  Index covered = 0;
  for (int rank = 0; rank < 3; ++rank) covered += bands.band(rank).size();
  EXPECT_EQ(covered, 4);
  EXPECT_EQ(imbalance(profile_of(offsets), bands), 3);
}

TEST(BandsByNonzeros, WithoutNonzerosOfEqualHeight) {
  EXPECT_EQ(bands_by_nonzeros(profile_of(std::vector<Index>(9, 0)), 3), (RowLayout{8, 3}));
  EXPECT_EQ(bands_by_nonzeros(profile_of(std::vector<Index>{0}), 2), (RowLayout{0, 2}));
  EXPECT_EQ(imbalance(profile_of(std::vector<Index>{0}), RowLayout{0, 2}), 1);
}

TEST(BandsByNonzeros, CountBeyondThirtyTwoBits) {
  // 200 000 rows of 2^40 non-zeros each: 2^57 and more in all.
  constexpr Index row = Index{1} << 40;
  std::vector<Index> offsets;
  for (Index i = 0; i <= 200000; ++i) offsets.push_back(i * row);
  const NonzeroProfile profile = profile_of(offsets);
  EXPECT_GT(profile.step, 1);
  const RowLayout bands = bands_by_nonzeros(profile, 5);
  for (int rank = 0; rank < 5; ++rank) {
    EXPECT_NEAR(static_cast<double>(bands.band(rank).size()), 40000, 2.0 * profile.step);
  }
  EXPECT_NEAR(imbalance(profile, bands), 1, 1e-3);
}

}  // namespace
}  // namespace spsolve
