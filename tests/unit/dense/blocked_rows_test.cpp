// The common part of blocked rows of every kind: the order in which rows and columns are worked on.

#include "dense/lu/blocked_rows.hpp"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "dense/state/swaps.hpp"
#include "helpers/piecewise_rows.hpp"
#include "helpers/reference.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {
namespace {

TEST(SwapsToFront, BringTheChosenRowsToTheFrontInOrder) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Index first = trial % 3;
    std::vector<Index> rows(static_cast<std::size_t>(1 + trial % 40));
    std::iota(rows.begin(), rows.end(), first);
    std::vector<Index> chosen = rows;
    std::shuffle(chosen.begin(), chosen.end(), random);
    chosen.resize(1 + random() % chosen.size());
    Index place = first;
    for (const Index other : swaps_to_front(first, chosen)) {
      std::swap(rows[place++ - first], rows[other - first]);
    }
    rows.resize(chosen.size());
    EXPECT_EQ(rows, chosen) << "trial " << trial;
  }
}

TEST(PiecesBehind, CoverTheColumnsBehindAPanel) {
  const auto matrix = test::sparse(random_multivector(37, 37, 1));
  const HostBlockedRows<double> plain(matrix, 5, true);
  EXPECT_EQ(pieces_behind(plain, {5, 10}, {10, 15}), (std::vector<Range>{{10, 37}}));
  EXPECT_EQ(pieces_behind(plain, {35, 37}, {37, 37}), (std::vector<Range>{{37, 37}}));
  const test::PiecewiseRows<double> ahead(matrix, 5, true);
  EXPECT_EQ(pieces_behind(ahead, {5, 10}, {10, 15}),
            (std::vector<Range>{{10, 15}, {15, 20}, {20, 30}, {30, 37}}));
  EXPECT_EQ(pieces_behind(ahead, {30, 35}, {35, 37}), (std::vector<Range>{{35, 37}}));
  EXPECT_EQ(pieces_behind(ahead, {35, 37}, {37, 37}), (std::vector<Range>{{37, 37}}));
}

}  // namespace
}  // namespace spsolve
