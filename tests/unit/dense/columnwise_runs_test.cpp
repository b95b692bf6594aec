// Eliminations over rows that go on for many steps by themselves.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "dense/columnwise/columnwise.hpp"
#include "dense/columnwise/host_dense_rows.hpp"
#include "dense/host_device.hpp"
#include "helpers/checkpoint_runs.hpp"

namespace spsolve {
namespace {

constexpr Index length = 8;

/// Does its runs by what dense rows can do step by step, and counts them.
class RowsOfRuns final : public HostDenseRows<double> {
 public:
  explicit RowsOfRuns(const ScaledRows& rows) : HostDenseRows<double>(rows, 0) {}

  Index longest_run(Index, Method, Pivoting pivoting) const override {
    return pivoting == Pivoting::complete ? 0 : length;
  }

  EliminatedRun eliminate_run(Range columns, Method method, Pivoting pivoting) override {
    ++runs;
    EliminatedRun run;
    for (Index k = columns.first; k < columns.last; ++k) {
      const Index last = pivoting == Pivoting::none ? k + 1 : order();
      run.pivots.push_back(find_pivot({k, last}, {k, k + 1}));
      const PivotCandidate& pivot = run.pivots.back();
      if (pivot.magnitude == 0 || !std::isfinite(pivot.magnitude)) break;
      swap_rows(k, pivot.row);
      load_row(k, {k, width()}, 0);
      eliminate(k, {k + 1, order()});
      if (method == Method::gauss_jordan) eliminate(k, {0, k});
      run.largest_in_pivot_rows =
          std::max(run.largest_in_pivot_rows, find_pivot({k, k + 1}, {k, order()}).magnitude);
    }
    return run;
  }

  int runs = 0;
};

struct Outcome {
  Elimination elimination;
  Dense<double> x;
  Dense<double> carried;  ///< x, or b after Method::gauss
};

Outcome solve_with(DenseRows<double>& rows, const Dense<double>& b, Method method,
                   Pivoting pivoting) {
  SoloTeam team;
  const RowLayout bands{rows.order(), 1};
  Progress progress("test", 0, Progress::Show::off);
  Outcome outcome{{}, b, b};
  outcome.elimination = eliminate_columnwise<double>(team, team, bands, rows, method, pivoting,
                                                     progress, nullptr, &outcome.carried);
  solve_columnwise<double>(team, bands, rows, outcome.elimination, outcome.x);
  return outcome;
}

Dense<double> dense_system(Index n, Pivoting pivoting) {
  Dense<double> dense = random_multivector(n, n, n + 1);
  for (Index i = 0; i < n && pivoting == Pivoting::none; ++i) dense(i, i) += 40;
  return dense;
}

TEST(ColumnwiseRuns, AreTheSameElimination) {
  for (const Method method : {Method::gauss, Method::gauss_jordan}) {
    for (const Pivoting pivoting : {Pivoting::none, Pivoting::partial, Pivoting::complete}) {
      for (const Index n : {1, 2, 7, 8, 9, 16, 37}) {
        const Csr<double> matrix = test::sparse(dense_system(n, pivoting));
        const Dense<double> b = random_multivector(n, 2, 5);
        HostDenseRows<double> plain(matrix, 0);
        RowsOfRuns in_runs(matrix);
        const Outcome expected = solve_with(plain, b, method, pivoting);
        const Outcome ours = solve_with(in_runs, b, method, pivoting);
        EXPECT_EQ(in_runs.runs, pivoting == Pivoting::complete ? 0 : (n + length - 1) / length);
        EXPECT_EQ(ours.x.values, expected.x.values) << n;
        EXPECT_EQ(ours.carried.values, (method == Method::gauss_jordan ? expected.x : b).values)
            << n;
        EXPECT_EQ(ours.elimination.row_swaps, expected.elimination.row_swaps) << n;
        EXPECT_EQ(ours.elimination.column_swaps, expected.elimination.column_swaps) << n;
        const PivotStatistics& pivots = ours.elimination.pivots;
        EXPECT_EQ(pivots.growth, expected.elimination.pivots.growth) << n;
        EXPECT_EQ(pivots.smallest_pivot, expected.elimination.pivots.smallest_pivot) << n;
        EXPECT_EQ(pivots.largest_pivot, expected.elimination.pivots.largest_pivot) << n;
      }
    }
  }
}

TEST(ColumnwiseRuns, AStepInARunIsNamed) {
  struct Bad {
    double at_13;  ///< the element (12, 12) of a diagonal matrix
    Pivoting pivoting;
    const char* text;
  };
  for (const Bad& bad :
       {Bad{0, Pivoting::partial, "the matrix is singular: at step 13 of 20"},
        Bad{0, Pivoting::none, "the pivot of step 13 of 20 (column 13) is zero; solve.pivoting"},
        Bad{INFINITY, Pivoting::partial, "the pivot of step 13 of 20 (column 13) is not a finite"},
        Bad{NAN, Pivoting::none, "the pivot of step 13 of 20 (column 13) is not a finite"}}) {
    Dense<double> dense(20, 20);
    for (Index i = 0; i < 20; ++i) dense(i, i) = i == 12 ? bad.at_13 : 4;
    RowsOfRuns rows(test::sparse(dense));
    try {
      solve_with(rows, Dense<double>(20, 1), Method::gauss_jordan, bad.pivoting);
      ADD_FAILURE() << "no error: " << bad.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::not_trustworthy);
      EXPECT_NE(std::string(error.what()).find(bad.text), std::string::npos) << error.what();
    }
    EXPECT_EQ(rows.runs, 2);
  }
}

/// Dense rows with runs for the way of the application.
class MemoryOfRuns final : public ComputeDevice {
 public:
  MemoryKind memory() const override { return MemoryKind::host; }
  std::string device() const override { return "host"; }
  std::string transport() const override { return "none"; }
  Team& row_team() override { return team_; }
  Team& pivot_team() override { return team_; }
  Team& candidate_team() override { return team_; }
  PerScalar per_scalar() override {
    PerScalar makers = on_host_.per_scalar();
    std::get<DenseRowsOf<double>*>(makers) = &double_;
    return makers;
  }

 private:
  class Maker final : public DenseRowsOf<double> {
   public:
    std::unique_ptr<DenseRows<double>> columnwise(const ScaledRows& rows, const BandProducts*,
                                                  Index) override {
      return std::make_unique<RowsOfRuns>(rows);
    }
    std::unique_ptr<BlockedRows<double>> blocked(const ScaledRows&, const BandProducts*, Index,
                                                 bool, bool) override {
      return nullptr;
    }
  };

  SoloTeam team_;
  HostDevice on_host_{team_};
  Maker double_;
};

TEST(ColumnwiseRuns, StopBetweenTwoRunsAndGoOn) {
  using namespace test::checkpoints;
  SoloTeam team;
  const SharedFolder folder(team);
  MemoryOfRuns memory;
  const Case c{{Method::gauss_jordan, Pivoting::partial, Precision::float64}};
  const System system = system_for(c, 30);
  const auto until = [&](Index stop) {
    return run(team, memory, system, c.choice, c.equilibrate, folder.path(), stop);
  };
  const Ran undisturbed = until(never);
  struct Stop {
    Index asked;
    Index done;
  };
  for (const Stop stop : {Stop{1, 8}, Stop{8, 8}, Stop{9, 16}, Stop{25, 30}, Stop{30, 30}}) {
    const std::string where = fmt::format("stopped at {}", stop.asked);
    EXPECT_FALSE(until(stop.asked).x) << where;
    const Ran ran = until(never);
    EXPECT_EQ(ran.checkpoints.resumed_step, stop.done) << where;
    expect_same(ran, undisturbed, where);
  }
}

}  // namespace
}  // namespace spsolve
