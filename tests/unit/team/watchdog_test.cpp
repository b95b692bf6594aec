#include "team/watchdog.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

WatchedRank computes(int rank, double still) {
  return {rank, "eliminate", false, still};
}
WatchedRank waits(int rank, double still) {
  return {rank, "eliminate", true, still};
}

TEST(Standstill, ARankThatMovesIsLeftAlone) {
  const std::vector<WatchedRank> ranks{computes(0, 9.9), waits(1, 9.9)};
  for (std::size_t me = 0; me < ranks.size(); ++me) {
    EXPECT_FALSE(standstill(ranks, me, 10)) << me;
  }
}

TEST(Standstill, NamesTheRankAndItsPhaseByItsOwnWatchdogFirst) {
  const std::vector<WatchedRank> ranks{waits(4, 11), computes(5, 10.5), waits(6, 11)};
  const auto found = standstill(ranks, 1, 10);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, ExitCode::resources);
  EXPECT_NE(found->sentence.find("rank 5 has not moved for 10 s in phase eliminate"),
            std::string::npos)
      << found->sentence;
  EXPECT_FALSE(standstill(ranks, 0, 10)) << "its own turn has not passed";
  EXPECT_FALSE(standstill(ranks, 2, 10));
}

TEST(Standstill, TheOthersSpeakInTurnForAProcessThatStandsStill) {
  const std::vector<WatchedRank> ranks{waits(0, 12), computes(1, 11.5), waits(2, 12)};
  EXPECT_TRUE(standstill(ranks, 0, 10));
  EXPECT_FALSE(standstill(ranks, 2, 10)) << "one second after rank 0 and two after rank 1";
  EXPECT_NE(standstill(ranks, 0, 10)->sentence.find("rank 1 has not moved"), std::string::npos);
}

TEST(Standstill, ThoseThatWaitAreToBlameOnlyWhereAllDoForTwiceAsLong) {
  EXPECT_FALSE(standstill(std::vector{waits(0, 19), waits(1, 19)}, 0, 10));
  EXPECT_FALSE(standstill(std::vector{waits(0, 50), waits(1, 3)}, 0, 10));
  const auto found = standstill(std::vector{waits(0, 21), waits(1, 21)}, 0, 10);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, ExitCode::internal);
  EXPECT_NE(found->sentence.find("waited for messages"), std::string::npos);
}

TEST(Standstill, NamesAProcessThatWasStoppedWhateverItDid) {
  for (const bool waiting : {false, true}) {
    std::vector<WatchedRank> ranks{waits(0, 12), computes(1, 3)};
    ranks.push_back({2, "eliminate", waiting, 12, 11.5});
    const auto found = standstill(ranks, 0, 10);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, ExitCode::resources);
    EXPECT_NE(found->sentence.find("rank 2 has stood still altogether for 12 s in phase eliminate"),
              std::string::npos)
        << found->sentence;
    ranks[2].still = 3;  // before it was stopped it moved
    EXPECT_FALSE(standstill(ranks, 1, 10)) << "its turn comes a second later";
    EXPECT_TRUE(standstill(ranks, 0, 10));
  }
}

TEST(Pulse, ShowsPhaseAndSteps) {
  enter_phase("eliminate");
  const auto before = pulse().moves.load();
  EXPECT_EQ(pulse().phase_name(), "eliminate");
  note_move();
  EXPECT_EQ(pulse().moves, before + 1);
  {
    const WaitingForRanks waiting;
    EXPECT_EQ(pulse().waiting, 1);
  }
  EXPECT_EQ(pulse().waiting, 0);
  EXPECT_EQ(pulse().moves, before + 2);
  enter_phase("a name of a phase that is longer than a pulse has room for");
  EXPECT_EQ(pulse().phase_name(), "a name of a phase that is longer");
}

TEST(Pulse, ShowsWaitsForAGpuAndForWhomTheyAre) {
  enter_phase("eliminate");
  const auto before = pulse().moves.load();
  {
    const WaitingForDevice waiting(false);
    EXPECT_EQ(pulse().place(), "eliminate, waiting for its GPU");
    EXPECT_EQ(pulse().waiting, 0);  // its own GPU is its own affair
  }
  {
    const WaitingForDevice waiting(true);
    EXPECT_EQ(pulse().place(), "eliminate, waiting for what other ranks send to its GPU");
    EXPECT_EQ(pulse().waiting, 1);
  }
  EXPECT_EQ(pulse().place(), "eliminate");
  EXPECT_EQ(pulse().waiting, 0);
  EXPECT_EQ(pulse().moves, before + 2);
}

TEST(Pulse, MovesWithWhatItShows) {
  enter_phase("scatter");
  const auto before = pulse().moves.load();
  Pulse elsewhere;
  move_pulse(&elsewhere);
  EXPECT_EQ(&pulse(), &elsewhere);
  EXPECT_EQ(pulse().phase_name(), "scatter");
  EXPECT_GT(pulse().moves, before);
  move_pulse(nullptr);
  EXPECT_NE(&pulse(), &elsewhere);
  EXPECT_EQ(pulse().phase_name(), "scatter");
}

TEST(Watchdog, EndsWithItsWork) {
  SoloTeam team;
  { const Watchdog none(team, 0); }
  {
    const Watchdog watchdog(team, 3600);
    EXPECT_EQ(pulse().watched, 1);
  }
  EXPECT_EQ(pulse().watched, 0);
}

}  // namespace
}  // namespace spsolve
