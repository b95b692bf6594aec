#include "eliminate/plan.hpp"

#include <cmath>
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
  const MemoryPlan plan = plan_elimination(shape, choice, 0, 2);
  EXPECT_EQ(plan.peak(), plan.bytes_in("eliminate"));
  EXPECT_GE(plan.peak(), HostBand<double>::bytes(500, 1000));
  EXPECT_GE(plan.bytes_in("read"), 5000 * 24);
}

TEST(MemoryPlan, OnlyRankZeroReads) {
  const MemoryPlan plan = plan_elimination(shape, choice, 1, 2);
  EXPECT_EQ(plan.bytes_in("read"), 0);
}

TEST(MemoryPlan, FloatHalvesTheBand) {
  EXPECT_NEAR(static_cast<double>(HostBand<float>::bytes(1000, 4000)),
              0.5 * static_cast<double>(HostBand<double>::bytes(1000, 4000)), 2e5);
}

TEST(MemoryPlan, MixedIsPlannedInFloatAndDoubleKeptApart) {
  const auto plan_in = [](Precision precision) {
    EliminationChoice wanted{Method::lu, Pivoting::partial, precision, 64};
    return plan_elimination({4000, 4000, 0, 12000}, wanted, 0, 1);
  };
  const auto mixed = plan_in(Precision::mixed);
  const auto bytes = [](const MemoryPlan& plan) { return static_cast<double>(plan.peak()); };
  EXPECT_LT(bytes(mixed), 1.2 * bytes(plan_in(Precision::float32)));
  EXPECT_LT(bytes(mixed), 0.7 * bytes(plan_in(Precision::float64)));
  ASSERT_EQ(mixed.in_double.size(), 2u);
  EXPECT_GE(mixed.in_double[0].bytes, 4000 * 4000 * 8);
  EXPECT_TRUE(plan_in(Precision::float64).in_double.empty());
}

/// The plans of a solve of that order, dense bands in double or in float.
PlanFor plans_of(Index order, Precision precision = Precision::float64) {
  EliminationChoice wanted;
  wanted.method = Method::gauss;
  wanted.pivoting = Pivoting::partial;
  wanted.precision = precision;
  return [=](int rank, int ranks) {
    return plan_elimination({order, order, 0, 3 * order}, wanted, rank, ranks);
  };
}

MemoryCheck check(Team& team, const PlanFor& plans, const std::vector<Remedy>& remedies = {}) {
  return check_memory(team, plans(0, 1), plans, remedies);
}

TEST(MemoryCheck, NamesTheFewestRanksAndWhatElseFits) {
  SoloTeam team;
  const auto free = static_cast<double>(available_memory());
  const auto order = static_cast<Index>(std::sqrt(free * 0.9 / 4));  // fits in float
  const MemoryPlan plan = plans_of(order)(0, 1);
  const MemoryCheck refused =
      check(team, plans_of(order),
            {{"in float", plans_of(order, Precision::float32)}, {"twice", plans_of(2 * order)}});
  EXPECT_FALSE(refused.fits);
  EXPECT_NE(refused.remedy.find("at least 2 ranks on 2 hosts"), std::string::npos)
      << refused.remedy;
  EXPECT_NE(refused.remedy.find("in float, with which it fits"), std::string::npos)
      << refused.remedy;
  EXPECT_EQ(refused.remedy.find("twice"), std::string::npos) << refused.remedy;
  EXPECT_NE(to_text(plan, refused).find("does not fit"), std::string::npos);
  EXPECT_TRUE(check(team, plans_of(1000)).fits);
}

TEST(MemoryCheck, SaysWhatNoNumberOfRanksCanHold) {
  SoloTeam team;
  const PlanFor hopeless = [](int rank, int) {
    MemoryPlan plan;
    plan.parts = {{"read", "all of it", rank == 0 ? Index{1} << 50 : 1}};
    return plan;
  };
  const MemoryCheck refused = check(team, hopeless);
  EXPECT_NE(refused.remedy.find("rank 0 needs 1.00 PiB"), std::string::npos) << refused.remedy;
}

TEST(MemoryCheck, CountsTheMemoryOfGpus) {
  SoloTeam team;
  const GpuBandBytes bytes = [](const EliminationChoice&, Index height, Index order, int, Index) {
    return height * order * Index{8};
  };
  const PlanFor plans = [&](int rank, int ranks) {
    return plan_elimination({1000, 1000, 0, 3000}, choice, rank, ranks, {}, bytes);
  };
  const MemoryPlan plan = plans(0, 1);
  EXPECT_GE(plan.gpu_peak(), 8000000);
  EXPECT_LT(plan.gpu_peak(), 8200000);
  EXPECT_LT(plan.peak(), 1000000);
  EXPECT_TRUE(check_memory(team, plan, plans, {}).fits);
  EXPECT_TRUE(check_memory(team, plan, plans, {}, 9000000).fits);
  const MemoryCheck refused = check_memory(team, plan, plans, {}, 3200000);
  EXPECT_FALSE(refused.fits);
  EXPECT_NE(refused.remedy.find("at least 3 GPUs like these, one for each of 3 ranks"),
            std::string::npos)
      << refused.remedy;
  EXPECT_NE(to_text(plan, refused).find("free on it: does not fit"), std::string::npos);
}

TEST(MemoryPlan, CountsWhatGpusSolveFor) {
  const GpuBandBytes bytes = [](const EliminationChoice&, Index height, Index order, int,
                                Index right_hand_sides) {
    return height * (order + right_hand_sides) * Index{8};
  };
  const EliminationChoice lu{Method::lu, Pivoting::tournament, Precision::float64, 100};
  const SolveNeeds many{5000, false, AutoSwitch::off};
  const MemoryPlan plan = plan_elimination({1000, 1000, 0, 3000}, lu, 0, 2, many, bytes);
  EXPECT_EQ(plan.gpu_peak(), 500 * (1000 + 5000) * 8);
  // The L and U of all panels stay on the host.
  EXPECT_EQ(panel_factors_bytes(lu, 1000, 2), 100 * 1000 * 8);
  EXPECT_GE(plan.bytes_in("eliminate"), 5 * 5000 * 1000 * 8 + 100 * 1000 * 8);
}

TEST(MemoryCheck, SaysWhatNoNumberOfGpusCanHold) {
  SoloTeam team;
  const PlanFor hopeless = [](int, int) {
    MemoryPlan plan;
    plan.on_gpu = {{"eliminate", "rows on their way", Index{1} << 40}};
    return plan;
  };
  const MemoryCheck refused = check_memory(team, hopeless(0, 1), hopeless, {}, 1000);
  EXPECT_NE(refused.remedy.find("use GPUs with more memory: rank 0 needs 1.00 TiB"),
            std::string::npos)
      << refused.remedy;
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
  const PlanFor plans = plans_of(20000);  // 3 GB when it is dense
  const MemoryPlan plan = plans(0, 1);
  const MemoryCheck check = check_memory(team, plan, plans, {});
  setrlimit(RLIMIT_AS, &before);
  EXPECT_LE(left, room);
  EXPECT_GT(left, room / 2);
  EXPECT_FALSE(check.fits);
  EXPECT_TRUE(check.ranks[0].limited);
  EXPECT_LE(check.ranks[0].available, room);
  EXPECT_NE(check.remedy.find("ulimit -v"), std::string::npos) << check.remedy;
  EXPECT_NE(check.remedy.find("at least"), std::string::npos) << check.remedy;
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
