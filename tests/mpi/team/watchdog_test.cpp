#include "team/watchdog.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "mpi/mpi_team.hpp"

namespace spsolve {
namespace {

TEST(MpiTeam, SharesZeroedMemoryOnAHost) {
  MpiTeam team;
  const auto bytes = team.shared_on_host(sizeof(std::atomic<int>));
  if (team.ranks_on_host() == 1) {
    EXPECT_TRUE(bytes.empty());
    return;
  }
  const auto count = static_cast<std::size_t>(team.ranks_on_host());
  ASSERT_EQ(bytes.size(), count * sizeof(std::atomic<int>));
  const std::span places(reinterpret_cast<std::atomic<int>*>(bytes.data()), count);
  for (const auto& place : places) EXPECT_EQ(place, 0);
  wait_for_all(team);
  places[static_cast<std::size_t>(team.rank_on_host())] = 10 + team.rank();
  wait_for_all(team);
  // The tests run on one host.
  for (int rank = 0; rank < team.size(); ++rank) EXPECT_EQ(places[rank], 10 + rank);
  wait_for_all(team);
  EXPECT_TRUE(team.shared_on_host(1).empty()) << "once in a team's life";
}

TEST(Watchdog, LeavesATeamThatWorksAlone) {
  MpiTeam team;
  const Watchdog watchdog(team, 3600);
  enter_phase("tested");
  EXPECT_EQ(pulse().rank, team.rank());
  EXPECT_EQ(pulse().watched, 1);
  const auto before = pulse().moves.load();
  wait_for_all(team);
  EXPECT_GT(pulse().moves, before) << "an exchange with other ranks is a step";
  EXPECT_EQ(pulse().waiting, 0);
}

}  // namespace
}  // namespace spsolve
