#include "distribute/row_exchange.hpp"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "matrix/multivector.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve {
namespace {

/// Rows first <= i < last of `whole`.
template <typename T>
Dense<T> cut(const Dense<double>& whole, Range rows) {
  Dense<T> part(rows.size(), whole.columns);
  for (Index i = 0; i < rows.size(); ++i) {
    std::copy_n(whole.row(rows.first + i), whole.columns, part.row(i));
  }
  return part;
}

/// Lists that deal out all rows at random, the same on every rank; some may be empty.
std::vector<std::vector<Index>> random_lists(Index rows, int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(ranks));
  for (const Index row : order) lists[random() % lists.size()].push_back(row);
  return lists;
}

template <typename T>
void expect_there_and_back(MpiTeam& team, const RowLayout& bands, const std::vector<Index>& list,
                           Index columns) {
  const Dense<double> whole = random_multivector(bands.rows, columns, 3);
  const Dense<T> band = cut<T>(whole, bands.band(team.rank()));
  const RowExchange exchange(team, bands, list);
  const Dense<T> listed = exchange.to_list(band);
  ASSERT_EQ(listed.rows, static_cast<Index>(list.size()));
  for (Index i = 0; i < listed.rows; ++i) {
    for (Index c = 0; c < columns; ++c) {
      EXPECT_EQ(listed(i, c), static_cast<T>(whole(list[i], c))) << i;
    }
  }
  const Dense<T> back = exchange.to_bands(listed);
  EXPECT_EQ(back.rows, band.rows);
  EXPECT_EQ(back.values, band.values);
}

TEST(RowExchange, ThereAndBack) {
  MpiTeam team;
  for (const Index rows : {0, 1, 2, 7, 40, 203}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto lists = random_lists(rows, team.size(), seed);
      const RowLayout bands{rows, team.size()};
      for (const Index columns : {1, 3}) {
        expect_there_and_back<double>(team, bands, lists[team.rank()], columns);
        expect_there_and_back<float>(team, bands, lists[team.rank()], columns);
      }
    }
  }
}

TEST(RowExchange, BandsWithBordersAndCyclicLists) {
  MpiTeam team;
  const Index rows = 90;
  RowLayout bands{rows, team.size(), std::vector<Index>(team.size() + 1, rows)};
  bands.borders.front() = 0;  // the first rank has everything
  const auto cyclic = RowLayout::cyclic(rows, team.size(), 7).global_rows(team.rank());
  expect_there_and_back<double>(team, bands, cyclic, 2);
}

TEST(RowExchange, SeveralRanksMayWantTheSameRow) {
  MpiTeam team;
  const RowLayout bands{20, team.size()};
  const Dense<double> whole = random_multivector(20, 2, 4);
  const RowExchange exchange(team, bands, {19, 0, 7});
  const Dense<double> listed = exchange.to_list(cut<double>(whole, bands.band(team.rank())));
  for (Index c = 0; c < 2; ++c) {
    EXPECT_EQ(listed(0, c), whole(19, c));
    EXPECT_EQ(listed(1, c), whole(0, c));
    EXPECT_EQ(listed(2, c), whole(7, c));
  }
}

}  // namespace
}  // namespace spsolve
