#include "eliminate/plan.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system.hpp"
#include "eliminate/host_band.hpp"

namespace spsolve {
namespace {

const MatrixShape shape{1000, 1000, 5000, 9000};
const EliminationChoice choice;

TEST(MemoryPlan, PeakIsThatOfTheLargestPhase) {
  const MemoryPlan plan = plan_elimination(shape, choice, 0, 2, 1);
  EXPECT_EQ(plan.peak(), plan.bytes_in("eliminate"));
  EXPECT_GE(plan.peak(), HostBand<double>::bytes(500, 1000));
  EXPECT_GT(plan.bytes_in("read"), 5000 * 24);
}

TEST(MemoryPlan, OnlyRankZeroReads) {
  const MemoryPlan plan = plan_elimination(shape, choice, 1, 2, 1);
  EXPECT_EQ(plan.bytes_in("read"), 0);
}

TEST(MemoryPlan, FloatHalvesTheBand) {
  EXPECT_NEAR(static_cast<double>(HostBand<float>::bytes(1000, 4000)),
              0.5 * static_cast<double>(HostBand<double>::bytes(1000, 4000)), 2e5);
}

TEST(MemoryCheck, RefusesWithARemedy) {
  SoloTeam team;
  const MatrixShape huge{10000000, 10000000, 0, 30000000};
  const MemoryPlan plan = plan_elimination(huge, choice, 0, 1, 1);
  const MemoryCheck check = check_memory(team, plan, Precision::float64);
  EXPECT_FALSE(check.fits);
  EXPECT_NE(check.remedy.find("hosts"), std::string::npos);
  EXPECT_NE(check.remedy.find("solve.precision=float"), std::string::npos);
  EXPECT_NE(to_text(plan, check).find("does not fit"), std::string::npos);
  const MemoryPlan small = plan_elimination(shape, choice, 0, 1, 1);
  EXPECT_TRUE(check_memory(team, small, Precision::float64).fits);
}

TEST(MemoryCheck, KnowsTheLimitOfTheProcess) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const auto mapped = [] {
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * sysconf(_SC_PAGESIZE);
  };
  rlimit limited = before;
  constexpr std::int64_t room = std::int64_t{256} << 20;
  limited.rlim_cur = static_cast<rlim_t>(mapped() + room);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  const std::int64_t left = left_under_process_limit();
  SoloTeam team;
  const MatrixShape large{20000, 20000, 0, 60000};  // 3 GB when it is dense
  const MemoryPlan plan = plan_elimination(large, choice, 0, 1, 1);
  const MemoryCheck check = check_memory(team, plan, Precision::float64);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_LE(left, room);
  EXPECT_GT(left, room / 2);
  EXPECT_FALSE(check.fits);
  EXPECT_TRUE(check.ranks[0].limited);
  EXPECT_LE(check.ranks[0].available, room);
  EXPECT_NE(check.remedy.find("ulimit -v"), std::string::npos) << check.remedy;
  EXPECT_NE(to_text(plan, check).find("ulimit -v"), std::string::npos);
}

TEST(ReadableBytes, UsesBinaryUnits) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1536), "1.50 KiB");
  EXPECT_EQ(readable_bytes(std::int64_t{3} << 30), "3.00 GiB");
}

}  // namespace
}  // namespace spsolve
