// One matrix, solved with again and again.

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/coo.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "matrix/random.hpp"
#include "solve_in_team.hpp"
#include "system/system_solver.hpp"

namespace spsolve {
namespace {

using testing::HasSubstr;

class SparseRepeatedSolves : public testing::Test {
 protected:
  SystemSolver solver_for(const Csr<double>& whole, Method method,
                          Ordering ordering = Ordering::automatic,
                          AutoSwitch matching = AutoSwitch::automatic) {
    SolverOptions options;
    options.matching = matching;
    options.method = method;
    options.ordering = ordering;
    return test::solver_in_team(ranks, whole, options);
  }

  static SolveOutcome solve(SystemSolver& solver, const Dense<double>& b, bool transposed) {
    const auto x = solver.matrix().vectors(b.columns);
    const auto right = test::vectors_of(solver.matrix(), b);
    PhaseTimes times;
    return transposed ? solver.solve_transposed(*right, *x, times)
                      : solver.solve(*right, *x, times);
  }

  test::HostRanks ranks;
};

TEST_F(SparseRepeatedSolves, TellTheInertiaOfTheirMatrix) {
  SystemSolver solver = solver_for(generate_matrix("kkt:300"), Method::sparse_ldlt);
  solver.set_up();
  const std::optional<Inertia> told = solver.ensured_inertia();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->certainty, Certainty::certain) << told->doubt;
  EXPECT_EQ(told->positive, 200);
  EXPECT_EQ(told->negative, 100);
  // The last two rows are alike.
  Dense<double> singular(4, 4);
  singular.values = {2, 0, 1, 1, 0, -1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0};
  SystemSolver other = solver_for(test::sparse(singular), Method::sparse_ldlt);
  EXPECT_THROW(other.set_up(), Error);
  const std::optional<Inertia> of_other = other.ensured_inertia();
  ASSERT_TRUE(of_other);
  EXPECT_EQ(of_other->certainty, Certainty::unknown);
  EXPECT_EQ(of_other->zero, 1);
  ASSERT_EQ(of_other->rows.size(), 1u);
  EXPECT_LT(of_other->rows[0], 4);
}

class RepeatedSolves : public SparseRepeatedSolves, public testing::WithParamInterface<Method> {
 protected:
  SystemSolver solver_for(const Csr<double>& whole) {
    return SparseRepeatedSolves::solver_for(whole, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, RepeatedSolves, testing::Values(Method::lu, Method::sparse_lu),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(RepeatedSolves, EstimateWhatIsOfTheMatrixOnce) {
  const Index n = 60;
  const Csr<double> matrix = test::sparse(random_multivector(n, n, 4));
  const Dense<double> first = random_multivector(n, 1, 5), second = random_multivector(n, 2, 6);
  SystemSolver solver = solver_for(matrix), other = solver_for(matrix);
  solver.set_up();
  other.set_up();
  for (const bool transposed : {false, true}) {
    SCOPED_TRACE(transposed ? "A^T" : "A");
    const SolveOutcome own = solve(solver, first, transposed);
    ASSERT_TRUE(own.condition);
    EXPECT_FALSE(own.condition->for_any_x);
    const SolveOutcome of_second = solve(other, second, transposed);
    ASSERT_TRUE(of_second.condition);
    for (int time = 0; time < 2; ++time) {
      const SolveOutcome later = solve(solver, second, transposed);
      EXPECT_EQ(later.trust.verdict, Verdict::solved);
      EXPECT_LE(later.refinement.after.backward_error, 4 * unit_roundoff);
      ASSERT_TRUE(later.condition);
      EXPECT_TRUE(later.condition->for_any_x);
      EXPECT_EQ(later.condition->normwise, own.condition->normwise);
      EXPECT_GE(later.condition->componentwise, of_second.condition->componentwise / 3);
      EXPECT_GE(later.trust.bound, later.refinement.forward_error / 3);
    }
  }
  solver.prepare();
  Progress silent("", 0, Progress::Show::off);
  solver.eliminate(silent);
  EXPECT_FALSE(solve(solver, second, false).condition.value().for_any_x);
}

/// Every `step`-th entry off the diagonal is a stored zero.
Csr<double> with_stored_zeros(Index step, double factor) {
  Csr<double> matrix = generate_matrix("convdiff3d:6");
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const bool is_zero = k % step == 0 && matrix.column_indices[k] != i;
      matrix.values[k] = is_zero ? 0.0 : factor * matrix.values[k];
    }
  }
  return matrix;
}

TEST_P(RepeatedSolves, TakeNewValuesAmongStoredZeros) {
  constexpr Index none = 1 << 20;
  SystemSolver solver = solver_for(with_stored_zeros(5, 1));
  const Range own = solver.matrix().own();
  const Dense<double> b = random_multivector(solver.matrix().order(), 2, 7);
  solver.set_up();
  // Stored zeros: the same, fewer, none, others, the first ones.
  for (const Index step : {Index{5}, Index{10}, none, Index{3}, Index{5}}) {
    SCOPED_TRACE(step);
    const Csr<double> next = with_stored_zeros(step, 1 + 1.0 / static_cast<double>(step));
    const auto begin = next.values.begin();
    solver.set_values(std::vector<double>(begin + next.row_offsets[own.first],
                                          begin + next.row_offsets[own.last]));
    solver.set_up();
    for (const bool transposed : {false, true}) {
      const SolveOutcome outcome = solve(solver, b, transposed);
      EXPECT_EQ(outcome.trust.verdict, Verdict::solved);
      EXPECT_LE(outcome.refinement.after.backward_error, 4 * unit_roundoff);
      EXPECT_LE(outcome.refinement.before.backward_error, 1e-13) << "by these values";
    }
  }
}

/// Couplings of every `step`-th sum of indices are zeros, stored in both triangles, or where
/// `one_sided` in the lower one alone; magnitudes of rows differ, so that they are scaled.
Csr<double> symmetric_with_zeros(Index step, bool one_sided, double factor) {
  const Csr<double> grid = generate_matrix("grid3d:6");
  Coo coo;
  coo.rows = coo.columns = grid.rows;
  for (Index i = 0; i < grid.rows; ++i) {
    for (Index k = grid.row_offsets[i]; k < grid.row_offsets[i + 1]; ++k) {
      const Index j = grid.column_indices[k];
      const bool is_zero = i != j && (i + j) % step == 0;
      if (is_zero && one_sided && j > i) continue;
      const auto size = [](Index row) { return row % 9 == 0 ? 64.0 : 1.0; };
      test::add(coo, i, j, is_zero ? 0.0 : factor * size(i) * size(j) * grid.values[k]);
    }
  }
  return csr_from_coo(coo);
}

TEST_F(SparseRepeatedSolves, TakeNewValuesAmongStoredZerosOfSymmetricMatrices) {
  for (const Method method : {Method::sparse_cholesky, Method::sparse_ldlt}) {
    for (const bool one_sided : {false, true}) {
      SCOPED_TRACE(testing::Message() << name(method) << ", one-sided " << one_sided);
      SystemSolver solver = solver_for(symmetric_with_zeros(5, one_sided, 1), method);
      const Range own = solver.matrix().own();
      const Dense<double> b = random_multivector(solver.matrix().order(), 2, 7);
      solver.set_up();
      for (const double factor : {2.0, 0.3}) {
        const Csr<double> next = symmetric_with_zeros(5, one_sided, factor);
        const auto begin = next.values.begin();
        std::vector<double> values(begin + next.row_offsets[own.first],
                                   begin + next.row_offsets[own.last]);
        solver.set_values(values);
        solver.set_up();
        const SolveOutcome outcome = solve(solver, b, false);
        EXPECT_EQ(outcome.trust.verdict, Verdict::solved);
        EXPECT_LE(outcome.refinement.before.backward_error, 1e-13) << "by these values";
        // In the last row, left of the diagonal, what has no equal on the other side.
        if (own.last == next.rows && own.size() > 0) values[values.size() - 2] *= 1.5;
        solver.set_values(values);
        EXPECT_THAT(test::error_on_every_rank([&] { solver.set_up(); }, ExitCode::input),
                    HasSubstr("not symmetric"));
      }
    }
  }
}

/// Entries of eight sizes off a diagonal of none, whose pivots do not do in the order they come in.
Csr<double> without_diagonal(Index n) {
  Coo entries;
  entries.rows = entries.columns = n;
  std::uint64_t k = 0;
  const auto chance = [&] { return symmetric_interval(random_bits(610, k++)); };
  for (Index i = 0; i < n; ++i) {
    for (int time = 0; time < 2; ++time) {
      const auto j = static_cast<Index>((chance() + 1) / 2 * static_cast<double>(n - 1));
      const double value = chance() * std::pow(10, 4 * chance() - 4);
      if (i == j) continue;
      test::add(entries, i, j, value);
      test::add(entries, j, i, value);
    }
  }
  return csr_from_coo(entries);
}

TEST_F(SparseRepeatedSolves, DoNotTryOutAgainWhatDidNotDo) {
  const Csr<double> whole = without_diagonal(600);
  SystemSolver solver = solver_for(whole, Method::sparse_ldlt, Ordering::natural, AutoSwitch::off);
  const Dense<double> b = random_multivector(whole.rows, 1, 7);
  std::vector<double> values = solver.matrix().bands().global_rows().values;
  for (int time = 0; time < 3; ++time) {
    solver.set_up();
    const SolveOutcome outcome = solve(solver, b, false);
    EXPECT_EQ(outcome.trust.verdict, Verdict::solved);
    const std::string notes = fmt::format("{}", fmt::join(solver.facts().notes, "; "));
    EXPECT_THAT(notes, HasSubstr("eliminated again with threshold pivoting"));
    EXPECT_EQ(notes.find("did not do for the values before") != std::string::npos, time > 0);
    EXPECT_EQ(solver.facts().sparse->gmres_steps > 0, time == 0);
    for (double& value : values) value *= 1.5;
    solver.set_values(values);
  }
}

TEST_F(SparseRepeatedSolves, KeepMatchedRowsTogetherAfterWhatDidNotDo) {
  const Csr<double> whole = without_diagonal(600);
  const Dense<double> b = random_multivector(whole.rows, 1, 7);
  const auto delayed = [&](AutoSwitch matching) {
    SystemSolver solver = solver_for(whole, Method::sparse_ldlt, Ordering::natural, matching);
    std::vector<double> values = solver.matrix().bands().global_rows().values;
    Index most = 0;
    for (int time = 0; time < 3; ++time) {
      solver.set_up();
      for (const bool transposed : {false, true}) {
        EXPECT_EQ(solve(solver, b, transposed).trust.verdict, Verdict::solved);
      }
      most = std::max(most, solver.facts().sparse->delayed_pivots);
      EXPECT_EQ(solver.facts().sparse->pairs, matching == AutoSwitch::off ? 0 : 299);
      for (double& value : values) value *= 1.5;
      solver.set_values(values);
    }
    return most;
  };
  EXPECT_LT(4 * delayed(AutoSwitch::automatic), delayed(AutoSwitch::off));
}

TEST_P(RepeatedSolves, LookAtEveryXWhereThereIsSomethingToNote) {
  const Index n = 40;
  Dense<double> near_singular(n, n, 1.0);
  for (Index i = 0; i < n; ++i) near_singular(i, i) = 1 + 1e-9;
  SystemSolver solver = solver_for(test::sparse(near_singular));
  solver.set_up();
  for (int time = 0; time < 3; ++time) {
    const SolveOutcome outcome = solve(solver, random_multivector(n, 1, time), false);
    EXPECT_FALSE(outcome.trust.notes.empty());
    ASSERT_TRUE(outcome.condition);
    EXPECT_FALSE(outcome.condition->for_any_x);
  }
}

}  // namespace
}  // namespace spsolve
