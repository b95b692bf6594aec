#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "choice/solver_table.hpp"
#include "dense/columnwise/host_dense_rows.hpp"
#include "plan/memory_plan.hpp"
#include "process/system.hpp"

namespace spsolve {
namespace {

SolverOptions options_of(Method method, Pivoting pivoting = Pivoting::automatic,
                         Precision precision = Precision::float64, Index block = 0) {
  SolverOptions options;
  options.method = method;
  options.pivoting = pivoting;
  options.precision = precision;
  options.block = block;
  return options;
}

SolverQuestion question_of(const MatrixShape& shape, const SolverOptions& options = {},
                           Index right_hand_sides = 1) {
  SolverQuestion question;
  question.shape = shape;
  question.options = options;
  question.right_hand_sides = right_hand_sides;
  return question;
}

/// The plan of rank `rank` of `ranks` for a solve with these options.
MemoryPlan plan_of(SolverQuestion question, int rank, int ranks) {
  question.ranks = ranks;
  return plan_system(choose_solver(question), question, rank);
}

const SolverQuestion small = question_of({1000, 1000, 5000, 9000});

TEST(MemoryPlan, PeakIsThatOfTheLargestPhase) {
  const MemoryPlan plan = plan_of(small, 0, 2);
  std::int64_t largest = 0;
  for (const auto& part : plan.parts) largest = std::max(largest, plan.bytes_in(part.phase));
  EXPECT_EQ(plan.peak(), largest);
  EXPECT_GE(plan.peak(), HostDenseRows<double>::bytes(500, 1000));
  EXPECT_GE(plan.bytes_in("read"), 5000 * 24);
}

TEST(MemoryPlan, OnlyRankZeroReads) {
  const MemoryPlan plan = plan_of(small, 1, 2);
  EXPECT_EQ(plan.bytes_in("read"), 0);
}

TEST(MemoryPlan, FloatHalvesTheBand) {
  EXPECT_NEAR(static_cast<double>(HostDenseRows<float>::bytes(1000, 4000)),
              0.5 * static_cast<double>(HostDenseRows<double>::bytes(1000, 4000)), 2e5);
}

TEST(MemoryPlan, MixedIsPlannedInFloatAndDoubleKeptApart) {
  const auto plan_in = [](Precision precision) {
    const auto options = options_of(Method::lu, Pivoting::partial, precision, 64);
    return plan_of(question_of({4000, 4000, 0, 12000}, options), 0, 1);
  };
  const auto mixed = plan_in(Precision::mixed);
  const auto bytes = [](const MemoryPlan& plan) { return static_cast<double>(plan.peak()); };
  EXPECT_LT(bytes(mixed), 1.2 * bytes(plan_in(Precision::float32)));
  EXPECT_LT(bytes(mixed), 0.7 * bytes(plan_in(Precision::float64)));
  // Dense rows, and the work space of the BLAS.
  ASSERT_EQ(mixed.in_double.size(), 2u);
  EXPECT_GE(mixed.in_double[0].bytes, 4000 * 4000 * 8);
  EXPECT_TRUE(plan_in(Precision::float64).in_double.empty());
}

/// The plans of a solve of that order, dense bands in double or in float.
PlanFor plans_of(Index order, Precision precision = Precision::float64) {
  const auto options = options_of(Method::gauss, Pivoting::partial, precision);
  return [=](int rank, int ranks) {
    return plan_of(question_of({order, order, 0, 3 * order}, options), rank, ranks);
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

/// The sum of the parts of a phase.
std::int64_t bytes_of(const std::vector<MemoryPlan::PlannedBytes>& parts, std::string_view phase) {
  std::int64_t bytes = 0;
  for (const auto& part : parts) bytes += part.phase == phase ? part.bytes : 0;
  return bytes;
}

TEST(MemoryPlan, VectorsOnAGpuAreCountedThereAndTheirCopiesOnTheHost) {
  const Index n = 1000, k = 64, ranks = 2, height = n / ranks;
  SolverQuestion question = question_of({n, n, 0, 5 * n}, options_of(Method::gauss), k);
  const MemoryPlan on_host = plan_of(question, 0, ranks);
  question.memory = MemoryKind::gpu;
  question.gpu = [](const EliminationChoice&, Index, Index, int, Index) { return std::int64_t{0}; };
  const MemoryPlan on_gpu = plan_of(question, 0, ranks);
  const Index own = 8 * height, nonzeros = 5 * height;
  const Index rows = 8 * (height + 1) + 12 * nonzeros;
  const Index transposed = 8 * (n + 1) + 12 * nonzeros;  // the halo may be all other rows
  const Index to_transpose = 20 * nonzeros + 16 * (n + 1);
  EXPECT_EQ(bytes_of(on_gpu.on_gpu, "eliminate"),
            own * (5 * k + 4 * k + 1) + rows + transposed + to_transpose + own * k);
  // b, the rows of A, and those that dense rows are filled from.
  EXPECT_EQ(bytes_of(on_gpu.on_gpu, "prepare"), own * k + 2 * rows);
  EXPECT_EQ(on_gpu.bytes_in("prepare"), on_host.bytes_in("prepare") - own * k - 8 * height * n);
  EXPECT_LT(on_gpu.bytes_in("eliminate"), on_host.bytes_in("eliminate") - 5 * own * k);
  // Without a condition estimate, neither its vectors nor the transposed rows.
  question.options.condition = false;
  EXPECT_EQ(bytes_of(plan_of(question, 0, ranks).on_gpu, "eliminate"),
            own * 5 * k + rows + own * k);
}

TEST(MemoryPlan, LeavesOutThePartsOfAnOccasionThatDidNotCome) {
  MemoryPlan plan;
  plan.add({"prepare", "solve"}, "rows", 100);
  plan.add({"solve"}, "scaled rows", 40, MemoryPlan::Occasion::equilibration);
  plan.add({"solve"}, "vectors of GMRES", 7, MemoryPlan::Occasion::small_pivots);
  plan.add({"solve"}, "nothing", 0);
  EXPECT_EQ(plan.parts.size(), 4u);
  EXPECT_EQ(plan.peak(), 147);
  plan.leave_out(MemoryPlan::Occasion::equilibration);
  EXPECT_EQ(plan.peak(), 107);
  plan.leave_out(MemoryPlan::Occasion::small_pivots);
  EXPECT_EQ(plan.peak(), 100);
}

TEST(MemoryPlan, SettlesAPartThatWasKnownAtMost) {
  MemoryPlan plan;
  plan.add({"prepare", "multiply"}, "format, at most", 100);
  plan.add({"multiply"}, "rows", 30);
  plan.settle("format, at most", 60);
  EXPECT_EQ(plan.bytes_in("prepare"), 60);
  EXPECT_EQ(plan.peak(), 90);
  plan.settle("format, at most", 200);
  EXPECT_EQ(plan.peak(), 90);
}

TEST(MemoryPlan, VectorsOfAHostTakeTurns) {
  const Index n = 1000, k = 300, own = 8 * n, rows = 8 * (n + 1) + 12 * 5 * n;
  SolverQuestion question = question_of({n, n, 0, 5 * n}, options_of(Method::gauss), k);
  question.options.equilibrate = AutoSwitch::off;
  const MemoryPlan plan = plan_of(question, 0, 1);
  const std::int64_t there = rows + HostDenseRows<double>::bytes(n, n) + bytes_of_program;
  EXPECT_EQ(plan.bytes_in("eliminate"), there + 2 * k * own);
  EXPECT_EQ(plan.bytes_in("solve"), there + (4 * k + 2 + 2 * k) * own);
  EXPECT_EQ(plan.bytes_in("estimate"), there + (2 * k + 4 * k + 1) * own);
  question.options.condition = false;
  EXPECT_EQ(plan_of(question, 0, 1).bytes_in("estimate"), 0);
}

TEST(MemoryPlan, AHostAloneScalesDenseRowsAsItFillsThem) {
  const auto prepared = [](AutoSwitch equilibrate, int ranks) {
    SolverQuestion question = question_of({1000, 1000, 0, 500000}, options_of(Method::lu));
    question.options.equilibrate = equilibrate;
    return plan_of(question, 0, ranks).bytes_in("prepare");
  };
  EXPECT_EQ(prepared(AutoSwitch::on, 1), prepared(AutoSwitch::off, 1));
  EXPECT_LT(prepared(AutoSwitch::on, 1), 500000 * 12 + 1000 * 1000 * 8 + 100000);
  // Rows of several ranks are dealt out in copies.
  EXPECT_GT(prepared(AutoSwitch::on, 2), 2 * 250000 * 12 + 500 * 1000 * 8);
}

TEST(MemoryPlan, RowsOfAnIterationAreScaledWhereThatIsWorthIt) {
  const Index n = 100000, rows = 8 * (n + 1) + 12 * 5 * n;
  const auto plan_in = [&](Method method, AutoSwitch equilibrate) {
    SolverQuestion question = question_of({n, n, 0, 5 * n}, options_of(method));
    question.options.equilibrate = equilibrate;
    return plan_of(question, 0, 1);
  };
  MemoryPlan plan = plan_in(Method::gmres, AutoSwitch::automatic);
  const std::int64_t off = plan_in(Method::gmres, AutoSwitch::off).peak();
  EXPECT_GE(plan.peak(), off + rows);
  EXPECT_EQ(plan.peak(), plan_in(Method::gmres, AutoSwitch::on).peak());
  plan.leave_out(MemoryPlan::Occasion::equilibration);
  EXPECT_EQ(plan.peak(), off);
  // Of symmetric matrices nothing is scaled.
  EXPECT_EQ(plan_in(Method::cg, AutoSwitch::automatic).peak(),
            plan_in(Method::cg, AutoSwitch::off).peak());
}

TEST(MemoryPlan, RowsOfOneGpuAreMadeDenseFromACopyWhereTheyMayBeScaled) {
  const Index n = 1000, nonzeros = 5 * n;
  SolverQuestion question = question_of({n, n, 0, nonzeros}, options_of(Method::lu));
  question.memory = MemoryKind::gpu;
  question.gpu = [](const EliminationChoice&, Index, Index, int, Index) { return std::int64_t{0}; };
  question.options.equilibrate = AutoSwitch::off;
  const std::int64_t as_they_are = bytes_of(plan_of(question, 0, 1).on_gpu, "prepare");
  question.options.equilibrate = AutoSwitch::automatic;
  EXPECT_EQ(bytes_of(plan_of(question, 0, 1).on_gpu, "prepare"),
            as_they_are + 8 * (n + 1) + 12 * nonzeros);
}

TEST(MemoryPlan, VectorsOfGmresLieWhereTheOthersDo) {
  SolverQuestion question = question_of(
      {20000, 20000, 0, 100000}, options_of(Method::lu, Pivoting::automatic, Precision::mixed));
  const auto has_gmres = [](const std::vector<MemoryPlan::PlannedBytes>& parts) {
    return std::ranges::any_of(parts,
                               [](const auto& part) { return part.what == "vectors of GMRES"; });
  };
  EXPECT_TRUE(has_gmres(plan_of(question, 0, 1).parts));
  question.memory = MemoryKind::gpu;
  question.gpu = [](const EliminationChoice&, Index, Index, int, Index) { return std::int64_t{0}; };
  EXPECT_FALSE(has_gmres(plan_of(question, 0, 1).parts));
  EXPECT_TRUE(has_gmres(plan_of(question, 0, 1).on_gpu));
}

TEST(MemoryCheck, CountsTheMemoryOfGpus) {
  SoloTeam team;
  const GpuDenseBytes bytes = [](const EliminationChoice&, Index height, Index order, int, Index) {
    return height * order * Index{8};
  };
  const PlanFor plans = [&](int rank, int ranks) {
    SolverQuestion question = question_of({1000, 1000, 0, 3000});
    question.memory = MemoryKind::gpu;
    question.gpu = bytes;
    return plan_of(question, rank, ranks);
  };
  const MemoryPlan plan = plans(0, 1);
  // Dense rows, and in addition 5 vectors, 7 of the condition estimate, and the sparse rows and
  // their transposed ones, with the memory to transpose.
  const Index rows = 8 * 1001 + 12 * 3000, to_transpose = 20 * 3000 + 16 * 1001;
  EXPECT_EQ(plan.gpu_peak(), 8000000 + 12 * 8000 + 2 * rows + to_transpose);
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
  const GpuDenseBytes bytes = [](const EliminationChoice&, Index height, Index order, int,
                                 Index right_hand_sides) {
    return height * (order + right_hand_sides) * Index{8};
  };
  const EliminationChoice lu{Method::lu, Pivoting::tournament, Precision::float64, 100};
  SolverQuestion many = question_of(
      {1000, 1000, 0, 3000}, options_of(lu.method, lu.pivoting, lu.precision, lu.block), 5000);
  many.options.condition = false;
  many.options.equilibrate = AutoSwitch::off;
  many.memory = MemoryKind::gpu;
  many.gpu = bytes;
  const MemoryPlan plan = plan_of(many, 0, 2);
  // Dense rows and what is solved for; 5 multivectors and the halo of one; the sparse rows.
  EXPECT_EQ(plan.gpu_peak(),
            500 * (1000 + 5000) * 8 + (5 + 1) * 500 * 5000 * 8 + (8 * 501 + 12 * 1500));
  // Copies of what is solved for stay on the host.
  EXPECT_GE(plan.bytes_in("eliminate"), 6 * 5000 * 500 * 8);
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
  MemoryPlan plan = plans(0, 1);
  plan.resident = resident_memory();
  const MemoryCheck check = check_memory(team, plan, plans, {});
  setrlimit(RLIMIT_AS, &before);
  EXPECT_LE(left, room);
  EXPECT_GT(left, room / 2);
  EXPECT_FALSE(check.fits);
  EXPECT_TRUE(check.ranks[0].limited);
  // Pages that were touched since `resident` was read count as the plan's own.
  constexpr std::int64_t touched = std::int64_t{1} << 20;
  EXPECT_LE(check.ranks[0].available, room + touched);
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
