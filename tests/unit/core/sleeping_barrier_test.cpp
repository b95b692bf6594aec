#include "multiply/published/sleeping_barrier.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

namespace spsolve {
namespace {

/// Every thread adds to the number of the next one, round by round: each reads what another thread
/// wrote in the round before.
void pass_around(int threads, int rounds) {
  SleepingBarrier barrier;
  std::vector<long> numbers(static_cast<std::size_t>(threads), 0);
  int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    const int team = omp_get_num_threads(), me = omp_get_thread_num();
    for (int round = 0; round < rounds; ++round) {
      const auto place = static_cast<std::size_t>((me + round) % team);
      if (numbers[place] != round) ++wrong;
      barrier.wait(team);
      numbers[place] = round + 1;
      barrier.wait(team);
    }
  }
  EXPECT_EQ(wrong, 0) << threads << " threads";
}

TEST(SleepingBarrier, NobodyPassesBeforeAllHaveCome) {
  for (const int threads : {1, 2, 3, 4}) pass_around(threads, 5000);
}

TEST(SleepingBarrier, WorksWithMoreThreadsThanProcessors) {
  pass_around(4 * omp_get_num_procs() + 1, 100);
}

}  // namespace
}  // namespace spsolve
