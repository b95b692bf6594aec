#include <numeric>

#include <gtest/gtest.h>

#include "distribute/scatter.hpp"
#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate.hpp"
#include "mpi/mpi_team.hpp"

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
    const RowBands bands{matrix.rows, team.size()};
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
