#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "distribute/reading/scatter.hpp"
#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "mpi/mpi_team.hpp"
#include "team/reduce.hpp"

namespace spsolve {
namespace {

TEST(MpiTeam, BroadcastsTextAndValuesFromEveryRoot) {
  MpiTeam team;
  for (int root = 0; root < team.size(); ++root) {
    const std::string mine = team.rank() == root ? fmt::format("from {}", root) : "something else";
    EXPECT_EQ(broadcast_text(team, mine, root), fmt::format("from {}", root));
    EXPECT_EQ(broadcast_value(team, team.rank() * 10, root), root * 10);
  }
  EXPECT_EQ(broadcast_text(team, "", 0), "");
}

TEST(MpiTeam, GathersByRankAndFindsTheMaximum) {
  MpiTeam team;
  const std::vector<Index> all = all_gather(team, Index{100} + team.rank());
  for (int rank = 0; rank < team.size(); ++rank) EXPECT_EQ(all[rank], 100 + rank);
  EXPECT_EQ(all_maximum(team, -1.0 * team.rank()), 0.0);
  const double only_last = team.rank() == team.size() - 1 ? NAN : 5.0;
  EXPECT_TRUE(std::isnan(all_maximum(team, only_last))) << "a nan must not get lost";
}

TEST(MpiTeam, NumbersTheRanksOfAHost) {
  MpiTeam team;
  // The tests run on one host.
  EXPECT_EQ(team.ranks_on_host(), team.size());
  EXPECT_EQ(team.rank_on_host(), team.rank());
}

TEST(MpiTeam, ExchangesWithAPartner) {
  MpiTeam team;
  const int partner = team.rank() ^ 1;
  if (partner >= team.size()) return;
  std::vector<int> data(1000, team.rank());
  exchange(team, std::span<int>(data), partner);
  EXPECT_EQ(data, std::vector<int>(1000, partner));
}

TEST(MpiTeam, MessagesGoRoundAsOftenAsWanted) {
  MpiTeam team;
  if (team.size() == 1) {
    const auto none = team.messages({}, {});
    none->start();
    none->wait();
    return;
  }
  const int next = (team.rank() + 1) % team.size();
  const int previous = (team.rank() + team.size() - 1) % team.size();
  std::vector<int> mine(5000), theirs(5000);
  const Outgoing outgoing{next, std::as_bytes(std::span(mine))};
  const Incoming incoming{previous, std::as_writable_bytes(std::span(theirs))};
  const auto round = team.messages(std::span(&outgoing, 1), std::span(&incoming, 1));
  for (int turn = 0; turn < 3; ++turn) {
    std::iota(mine.begin(), mine.end(), 100 * turn + team.rank());
    round->start();
    round->wait();
    std::vector<int> expected(5000);
    std::iota(expected.begin(), expected.end(), 100 * turn + previous);
    EXPECT_EQ(theirs, expected);
  }
  EXPECT_EQ(all_sum(team, Index{1}), team.size());
}

/// The part of rank r: r + 1 numbers, rank 1 none.
std::vector<int> part_of(int rank) {
  std::vector<int> part(rank == 1 ? 0 : static_cast<std::size_t>(rank) + 1);
  std::iota(part.begin(), part.end(), 100 * rank);
  return part;
}

std::vector<int> parts_of(int ranks) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<int> part = part_of(rank);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST(MpiTeam, GathersPartsOfDifferentSizes) {
  MpiTeam team;
  const std::vector<int> mine = part_of(team.rank());
  const std::vector<int> expected = parts_of(team.size());
  EXPECT_EQ(all_gather_parts(team, std::span(mine)), expected);
  EXPECT_TRUE(all_gather_parts(team, std::span<const double>()).empty());

  const std::vector<Index> sizes = all_gather(team, static_cast<Index>(mine.size()));
  std::vector<int> all(expected.size(), -1);
  const auto first = std::accumulate(sizes.begin(), sizes.begin() + team.rank(), Index{0});
  std::copy(mine.begin(), mine.end(), all.begin() + first);
  auto by_broadcasts = all;  // as parts of more than one MPI call travel
  all_gather_parts(team, std::span(all), sizes);
  EXPECT_EQ(all, expected);
  std::vector<Index> bytes = sizes;
  for (Index& size : bytes) size *= Index{sizeof(int)};
  team.Team::all_gather_parts(std::as_writable_bytes(std::span(by_broadcasts)), bytes);
  EXPECT_EQ(by_broadcasts, expected);
}

TEST(MpiTeam, GathersPartsAtEveryRoot) {
  MpiTeam team;
  const std::vector<int> mine = part_of(team.rank());
  const std::vector<Index> sizes = all_gather(team, static_cast<Index>(mine.size()));
  for (int root = 0; root < team.size(); ++root) {
    std::vector<int> all(team.rank() == root ? parts_of(team.size()).size() : 0);
    gather_parts(team, std::span<const int>(mine), std::span(all), sizes, root);
    if (team.rank() == root) {
      EXPECT_EQ(all, parts_of(team.size()));
    }
  }
}

/// The numbers that the ranks of `team` have in the first team, by rank.
std::vector<int> members(Team& team, int number) {
  return all_gather(team, number);
}

TEST(MpiTeam, SplitsIntoGroupsAndThoseAgain) {
  MpiTeam team;
  const int me = team.rank();
  const std::unique_ptr<Team> parity = team.split(me % 2, 0);
  ASSERT_NE(parity, nullptr);
  std::vector<int> expected;
  for (int rank = me % 2; rank < team.size(); rank += 2) expected.push_back(rank);
  EXPECT_EQ(members(*parity, me), expected);
  EXPECT_EQ(parity->rank(), me / 2);
  EXPECT_EQ(parity->ranks_on_host(), parity->size());

  // Ordered from the last rank to the first, and each half of that by itself.
  const std::unique_ptr<Team> reversed = parity->split(0, -me);
  std::ranges::reverse(expected);
  EXPECT_EQ(members(*reversed, me), expected);
  const std::unique_ptr<Team> alone = reversed->split(reversed->rank(), 7);
  EXPECT_EQ(members(*alone, me), std::vector<int>{me});

  // The smaller teams and the whole one speak side by side.
  EXPECT_EQ(all_sum(team, 1), team.size());
  EXPECT_EQ(all_sum(*parity, 1), parity->size());
}

TEST(MpiTeam, ASplitTeamOutlivesItsOrigin) {
  std::unique_ptr<Team> rest;
  {
    MpiTeam team;
    const std::unique_ptr<Team> whole = team.split(3, team.rank());
    rest = whole->split(whole->rank() > 0 ? 0 : -1, 0);
    EXPECT_EQ(rest == nullptr, team.rank() == 0);
  }
  if (rest == nullptr) return;
  EXPECT_EQ(all_sum(*rest, 1), rest->size());
  EXPECT_EQ(broadcast_value(*rest, rest->rank(), 0), 0);
  together(*rest, [] {});
}

TEST(MpiTeam, ASplitWithoutAGroupIsNoTeam) {
  MpiTeam team;
  EXPECT_EQ(team.split(-1, 0), nullptr);
  SoloTeam solo;
  EXPECT_EQ(solo.split(-1, 0), nullptr);
  EXPECT_EQ(solo.split(5, 1)->size(), 1);
}

TEST(MpiTeam, TakesAnyCommunicator) {
  MPI_Comm chosen = MPI_COMM_NULL;
  MpiTeam team;
  MPI_Comm_split(MPI_COMM_WORLD, team.rank() == 0 ? 0 : 1, 0, &chosen);
  MpiTeam part(chosen);
  MPI_Comm_free(&chosen);
  EXPECT_EQ(part.size(), team.rank() == 0 ? 1 : team.size() - 1);
  EXPECT_EQ(all_sum(part, 1), part.size());
}

/// The values that rank r brings to a reduction: numbers whose sum depends on the order, and some
/// of those that are none.
std::vector<double> values_of(int rank, std::size_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) * 977 + count);
  std::uniform_real_distribution<double> exponent(-40, 40);
  std::vector<double> values(count);
  for (double& value : values) {
    value = std::exp2(exponent(random)) * (random() % 2 == 0 ? 1 : -1);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (count > 3) {
    values[1] = rank == 1 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    values[2] = rank == 0 ? infinity : 2.0;
    values[3] = rank == 0 ? infinity : -infinity;
  }
  return values;
}

/// The reduction one rank after another, from the first.
std::vector<double> serial(int ranks, std::size_t count, Reduction how) {
  std::vector<double> result = values_of(0, count);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::vector<double> next = values_of(rank, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (how == Reduction::sum) {
        result[i] += next[i];
      } else if (!std::isnan(result[i]) && !(next[i] <= result[i])) {
        result[i] = next[i];
      }
    }
  }
  return result;
}

/// Bit for bit; a nan is a nan.
void expect_same(std::span<const double> found, std::span<const double> expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(expected[i]))
          << i << ": " << found[i] << " for " << expected[i];
    }
  }
}

/// A value, few, those of one slice, and more than that.
constexpr std::size_t counts_to_reduce[] = {0, 1, 5, 900, 5000, 700001};

TEST(MpiTeam, ReducesInTheOrderOfRanks) {
  MpiTeam team;
  for (const std::size_t count : counts_to_reduce) {
    for (const Reduction how : {Reduction::sum, Reduction::maximum}) {
      SCOPED_TRACE(fmt::format("{} values", count));
      std::vector<double> values = values_of(team.rank(), count);
      reduce(team, values, how);
      expect_same(values, serial(team.size(), count, how));
    }
  }
}

TEST(MpiTeam, ReducesPartsToTheirRanks) {
  MpiTeam team;
  for (const std::size_t count : counts_to_reduce) {
    // Rank 0 gets the most, the last rank but one nothing.
    std::vector<Index> sizes(static_cast<std::size_t>(team.size()));
    Index left = static_cast<Index>(count);
    for (int rank = team.size() - 1; rank > 0; --rank) {
      sizes[rank] = rank == team.size() - 2 ? 0 : left / 3;
      left -= sizes[rank];
    }
    sizes[0] = left;
    const auto first = std::accumulate(sizes.begin(), sizes.begin() + team.rank(), Index{0});
    const auto size = static_cast<std::size_t>(sizes[team.rank()]);
    for (const Reduction how : {Reduction::sum, Reduction::maximum}) {
      SCOPED_TRACE(fmt::format("{} values", count));
      std::vector<double> values = values_of(team.rank(), count);
      const std::vector<double> expected = serial(team.size(), count, how);
      const auto part = std::span(expected).subspan(static_cast<std::size_t>(first), size);
      std::vector<double> own(size);
      reduce_scatter(team, values, sizes, own, how);
      expect_same(own, part);
      const auto in_place = std::span(values).subspan(static_cast<std::size_t>(first), size);
      reduce_scatter(team, values, sizes, in_place, how);
      expect_same(in_place, part);
    }
  }
}

TEST(MpiTeam, AFailureOfOneRankIsThrownByAll) {
  MpiTeam team;
  for (int culprit = 0; culprit < team.size(); ++culprit) {
    try {
      together(team, [&] {
        if (team.rank() == culprit) fail(ExitCode::resources, "disk {} is full", culprit);
      });
      ADD_FAILURE() << "rank " << team.rank() << " did not learn of it";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::resources);
      EXPECT_EQ(error.scope(), Scope::every_rank);
      const std::string text = error.what();
      EXPECT_EQ(text.find(fmt::format("disk {} is full", culprit)), 0U) << text;
      if (culprit > 0) {
        EXPECT_NE(text.find(fmt::format("rank {} of {} on host", culprit, team.size())),
                  std::string::npos)
            << text;
      }
    }
  }
}

TEST(MpiTeam, TheLowestOfSeveralFailingRanksIsHeard) {
  MpiTeam team;
  try {
    together(team, [&] { fail(ExitCode::input, "rank {} speaks", team.rank()); });
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 0 speaks");
  }
}

TEST(MpiTeam, SharedMemoryShortageIsResources) {
  MpiTeam team;
  try {
    together(team, [] { throw std::bad_alloc(); });
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
  }
}

TEST(Scatter, DealsOutEveryRowOnce) {
  MpiTeam team;
  for (const char* spec : {"random_sparse:37:19:4", "random_sparse:2:5:2", "grid2d:11"}) {
    const Csr<double> matrix = generate_matrix(spec);
    const RowLayout bands{matrix.rows, team.size()};
    const Csr<double> mine =
        scatter_rows(team, bands, team.rank() == 0 ? Csr<double>(matrix) : Csr<double>{});
    const Range rows = bands.band(team.rank());
    const Csr<double> expected = slice_rows(matrix, rows.first, rows.last);
    EXPECT_EQ(mine.rows, expected.rows) << spec;
    EXPECT_EQ(mine.columns, expected.columns) << spec;
    EXPECT_EQ(mine.row_offsets, expected.row_offsets) << spec;
    EXPECT_EQ(mine.column_indices, expected.column_indices) << spec;
    EXPECT_EQ(mine.values, expected.values) << spec;
  }
}

}  // namespace
}  // namespace spsolve
