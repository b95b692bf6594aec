// Processors of a host's ranks, lent to rank 0.

#include "team/lent_processors.hpp"

#include <atomic>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include "helpers/error_of.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve {
namespace {

cpu_set_t processors() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

TEST(LentProcessors, WorkIsDoneByRankZeroWithTheirThreads) {
  MpiTeam team;
  const cpu_set_t before = processors();
  const int own = omp_get_max_threads();
  LentProcessors lent(team);
  EXPECT_GE(lent.threads(), broadcast_value(team, own, 0));
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> threads = 0;
    int runs = 0, most = 0;
    lent.on_first_rank(true, [&] {
      ++runs;
      most = omp_get_max_threads();
#pragma omp parallel
      ++threads;
    });
    EXPECT_EQ(runs, team.rank() == 0 ? 1 : 0);
    if (team.rank() == 0) {
      EXPECT_EQ(most, lent.threads());
      EXPECT_EQ(threads, lent.threads());
    }
    const cpu_set_t after = processors();
    EXPECT_TRUE(CPU_EQUAL(&after, &before)) << "what was lent is given back";
    EXPECT_EQ(omp_get_max_threads(), own);
  }
}

TEST(LentProcessors, SmallWorkIsDoneWithItsOwn) {
  MpiTeam team;
  LentProcessors lent(team);
  const int own = omp_get_max_threads();
  lent.on_first_rank(false, [&] { EXPECT_EQ(omp_get_max_threads(), own); });
}

TEST(LentProcessors, AFailureOfTheWorkIsThrownByAll) {
  MpiTeam team;
  LentProcessors lent(team);
  const int own = omp_get_max_threads();
  const std::string message = test::error_of(
      [&] { lent.on_first_rank(true, [] { fail(ExitCode::input, "no such thing"); }); },
      ExitCode::input);
  EXPECT_NE(message.find("no such thing"), std::string::npos);
  EXPECT_EQ(omp_get_max_threads(), own);
}

}  // namespace
}  // namespace spsolve
