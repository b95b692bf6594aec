// Every row of the solver table in every precision, as the application and the library use it.

#include "system/system_solver.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "mpi/mpi_team.hpp"
#include "solve_in_team.hpp"

namespace spsolve {
namespace {

struct Case {
  const SolverRow* row;
  Precision precision;
  bool over_ranks = false;  ///< sparse elimination by all ranks, and not by rank 0
};

/// Cases of all methods that take any matrix; the symmetric ones are tried in
/// tests/unit/sparse/sparse_elimination_test.cpp, Krylov methods in krylov_test.cpp.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const SolverRow& row : solver_table()) {
    if (row.method == Method::sparse_cholesky || row.method == Method::sparse_ldlt ||
        is_krylov(row.method)) {
      continue;
    }
    for (const Precision precision : {Precision::float64, Precision::mixed, Precision::float32}) {
      all.push_back({&row, precision});
      if (is_sparse(row.method)) all.push_back({&row, precision, true});
    }
  }
  return all;
}

std::string print(const Case& c) {
  return fmt::format("{}_{}{}", name(c.row->method), name(c.precision),
                     c.over_ranks ? "_over_ranks" : "");
}

class SystemSolverTest : public testing::TestWithParam<Case> {
 protected:
  SystemSolver solver_for(const Csr<double>& whole, AutoSwitch equilibrate = AutoSwitch::automatic,
                          int refinement = 10) {
    SolverQuestion question;
    question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
    question.ranks = ranks.team.size();
    question.options.method = GetParam().row->method;
    question.options.precision = GetParam().precision;
    question.options.equilibrate = equilibrate;
    question.options.refinement = refinement;
    question.pattern_analysis.estimate.over_ranks = GetParam().over_ranks;
    // An object that a function hands back can be made on the heap, though it cannot be moved
    // there.
    std::unique_ptr<SystemMatrix> matrix(
        new SystemMatrix(test::matrix_in_bands(ranks.team, whole)));
    return {std::move(matrix), *GetParam().row, question, ranks.memory};
  }

  struct Solved {
    Dense<double> x;
    SolveOutcome outcome;
  };

  static Solved solve(SystemSolver& solver, const Dense<double>& b) {
    const auto x = solver.matrix().vectors(b.columns);
    PhaseTimes times;
    SolveOutcome outcome = solver.solve(*test::vectors_of(solver.matrix(), b), *x, times);
    return {test::whole(*x), std::move(outcome)};
  }

  bool in_float() const { return GetParam().precision == Precision::float32; }

  /// The bound of backward errors before refinement.
  double bound() const {
    if (in_float()) return 1e-4;
    return GetParam().row->method == Method::gauss_jordan ? 1e-11 : 1e-14;
  }

  test::HostRanks ranks;
};

INSTANTIATE_TEST_SUITE_P(All, SystemSolverTest, testing::ValuesIn(cases()),
                         [](const auto& tested) { return print(tested.param); });

/// Rows of very different size, so that there is something to equilibrate.
Csr<double> badly_scaled(Index n, Index seed) {
  Dense<double> dense = random_multivector(n, n, seed);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) dense(i, j) *= std::ldexp(1.0, static_cast<int>(i % 17 - j % 5));
  }
  return test::sparse(dense);
}

TEST_P(SystemSolverTest, SetUpOnceItSolvesAnyRightHandSides) {
  for (const Index n : {1, 2, 33, 90}) {
    for (const bool scales : {false, true}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << (scales ? ", scaled" : ""));
      const Csr<double> matrix =
          scales ? badly_scaled(n, n + 1) : test::sparse(random_multivector(n, n, n + 1));
      SystemSolver solver = solver_for(matrix, scales ? AutoSwitch::on : AutoSwitch::off);
      solver.set_up();
      EXPECT_EQ(solver.scaling().scales, scales);
      EXPECT_EQ(solver.choice().method, GetParam().row->method);
      for (const Index columns : {1, 3, 1}) {
        const Dense<double> b = random_multivector(n, columns, n + columns);
        const auto [x, outcome] = solve(solver, b);
        EXPECT_LE(test::backward_error(matrix, b, x), 4 * unit_roundoff);
        EXPECT_LE(outcome.refinement.after.backward_error, 4 * unit_roundoff);
        ASSERT_TRUE(outcome.condition);
        EXPECT_GE(outcome.condition->normwise, 0.3);
        EXPECT_TRUE(outcome.trust.notes.empty());
      }
    }
  }
}

TEST_P(SystemSolverTest, AppliesTheInverseOfTheMatrixAndOfItsTranspose) {
  const Index n = 70;
  const Csr<double> matrix = test::sparse(random_multivector(n, n, 5));
  const Dense<double> b = random_multivector(n, 3, 6);
  for (const AutoSwitch equilibrate : {AutoSwitch::off, AutoSwitch::on}) {
    // Solutions in float that are to be refined may be better than factors in float are.
    for (const int refinement : {0, 10}) {
      SystemSolver solver = solver_for(matrix, equilibrate, refinement);
      solver.set_up();
      const auto right = test::vectors_of(solver.matrix(), b), x = solver.matrix().vectors(3);
      solver.apply(*right, *x);
      EXPECT_LE(test::backward_error(matrix, b, test::whole(*x)), bound());
      if (in_float() && refinement == 0) {
        EXPECT_GT(test::backward_error(matrix, b, test::whole(*x)), 1e-12) << "not done in float";
      }
      solver.apply_transposed(*right, *x);
      EXPECT_LE(test::backward_error(transpose(matrix), b, test::whole(*x)), bound());
    }
  }
}

TEST_P(SystemSolverTest, NewValuesAreSolvedAsByANewSolver) {
  const Index n = 61;
  const Csr<double> first = badly_scaled(n, 3), second = badly_scaled(n, 4);
  const Dense<double> b = random_multivector(n, 2, 6);
  SystemSolver solver = solver_for(first);
  solver.set_up();
  const Dense<double> of_first = solve(solver, b).x;
  const auto set = [&](const Csr<double>& whole) {
    const SystemMatrix rows = test::matrix_in_bands(ranks.team, whole);
    solver.set_values(rows.local_rows().values);
    solver.set_up();
  };
  set(second);
  SystemSolver fresh = solver_for(second);
  fresh.set_up();
  const Solved again = solve(solver, b), anew = solve(fresh, b);
  // Sparse elimination keeps the matching and the order of the first values.
  if (!is_sparse(GetParam().row->method)) {
    EXPECT_EQ(again.x.values, anew.x.values);
    EXPECT_EQ(again.outcome.refinement.sweeps, anew.outcome.refinement.sweeps);
    EXPECT_EQ(again.outcome.condition->normwise, anew.outcome.condition->normwise);
    EXPECT_EQ(solver.facts().pivots.growth, fresh.facts().pivots.growth);
  }
  EXPECT_LE(test::backward_error(second, b, again.x), 4 * unit_roundoff);
  set(first);
  EXPECT_EQ(solve(solver, b).x.values, of_first.values);
}

TEST_P(SystemSolverTest, StoredZerosComeAndGo) {
  const Index n = 40;
  const Csr<double> full = test::sparse(random_multivector(n, n, 8));
  Csr<double> some = full, same = full;  // with zeros at the same places
  for (std::size_t k = 1; k < full.values.size(); k += 7) {
    some.values[k] = same.values[k] = 0;
  }
  for (double& value : same.values) value *= -1.5;
  const Dense<double> b = random_multivector(n, 2, 6);
  SystemSolver solver = solver_for(some);
  solver.set_up();
  EXPECT_LE(test::backward_error(some, b, solve(solver, b).x), 4 * unit_roundoff);
  for (const Csr<double>* const next :
       std::initializer_list<const Csr<double>*>{&same, &some, &full, &full, &same}) {
    solver.set_values(test::matrix_in_bands(ranks.team, *next).local_rows().values);
    solver.set_up();
    EXPECT_LE(test::backward_error(*next, b, solve(solver, b).x), 4 * unit_roundoff);
  }
}

TEST_P(SystemSolverTest, GoesOnBehindASingularMatrix) {
  const Index n = 40;
  const Csr<double> regular = test::sparse(random_multivector(n, n, 8));
  Csr<double> singular = regular;
  for (Index i = 0; i < n; ++i) singular.values[i * n + 17] = 0;  // column 17
  SystemSolver solver = solver_for(singular);
  const std::string text =
      test::error_on_every_rank([&] { solver.set_up(); }, ExitCode::not_trustworthy);
  const char* const words =
      is_sparse(GetParam().row->method) ? "column 18 has no " : "step 18 of 40";
  EXPECT_NE(text.find(words), std::string::npos) << text;
  const Dense<double> b = random_multivector(n, 1, 6);
  const std::string refused = test::error_on_every_rank([&] { solve(solver, b); }, ExitCode::input);
  EXPECT_NE(refused.find(words), std::string::npos) << refused;
  const SystemMatrix rows = test::matrix_in_bands(ranks.team, regular);
  solver.set_values(rows.local_rows().values);
  test::error_on_every_rank([&] { solve(solver, b); }, ExitCode::input);  // not set up yet
  solver.set_up();
  EXPECT_LE(test::backward_error(regular, b, solve(solver, b).x), 4 * unit_roundoff);
}

TEST_P(SystemSolverTest, ValuesThatAreWrongOnOneRankChangeNothing) {
  const Csr<double> matrix = test::sparse(random_multivector(40, 40, 8));
  const Dense<double> b = random_multivector(40, 1, 6);
  SystemSolver solver = solver_for(matrix);
  solver.set_up();
  const std::vector<double> x = solve(solver, b).x.values;
  const std::vector<double> values = solver.matrix().local_rows().values;
  const bool is_last = ranks.team.rank() == ranks.team.size() - 1;
  for (const bool too_many : {false, true}) {
    std::vector<double> other(values.size(), 3.0);
    if (is_last && too_many) other.push_back(3);
    if (is_last && !too_many) other.back() = std::nan("");
    test::error_on_every_rank([&] { solver.set_values(other); }, ExitCode::input);
    EXPECT_EQ(solver.matrix().local_rows().values, values);
    EXPECT_EQ(solve(solver, b).x.values, x);
  }
}

TEST_P(SystemSolverTest, RightHandSidesThatAreKnownAreSolvedForAsOthers) {
  const Index n = 50;
  for (const AutoSwitch equilibrate : {AutoSwitch::off, AutoSwitch::on}) {
    const Csr<double> matrix = badly_scaled(n, 3);
    const Dense<double> b = random_multivector(n, 2, 6), other = random_multivector(n, 2, 7);
    SystemSolver knowing = solver_for(matrix, equilibrate), plain = solver_for(matrix, equilibrate);
    plain.set_up();
    knowing.prepare();
    const auto known = test::vectors_of(knowing.matrix(), b);
    Progress silent("test", 0, Progress::Show::off);
    knowing.eliminate(silent, nullptr, known.get());
    EXPECT_EQ(solve(knowing, b).x.values, solve(plain, b).x.values);
    EXPECT_EQ(solve(knowing, other).x.values, solve(plain, other).x.values);
    // They are right-hand sides of their own once more.
    EXPECT_EQ(solve(knowing, b).x.values, solve(plain, b).x.values);
  }
}

/// Symmetric, of -1, 0 and 1 but for a diagonal of 1e-6, on which pivots inside of fronts grow.
Csr<double> with_small_pivots(Index n) {
  const Dense<double> random = random_multivector(n, n, 12);
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) {
    dense(i, i) = 1e-6;
    for (Index j = 0; j < i; ++j) {
      if (std::abs(random(i, j)) > 0.03) continue;
      dense(i, j) = dense(j, i) = random(i, j) > 0 ? 1 : -1;
    }
  }
  return test::sparse(dense);
}

TEST(SystemSolver, TriesGrownFactorsOutByTheFirstSolution) {
  const Csr<double> matrix = with_small_pivots(100);
  const Dense<double> b = random_multivector(matrix.rows, 2, 6);
  for (const bool over_ranks : {false, true}) {
    for (const bool transposed : {false, true}) {
      test::HostRanks own;
      SolverQuestion question;
      question.shape = {matrix.rows, matrix.columns, 0, matrix.nonzeros()};
      question.ranks = own.team.size();
      question.options.method = Method::sparse_ldlt;
      question.pattern_analysis = analyse_pattern(own.team, matrix, question.options);
      question.pattern_analysis.estimate.over_ranks = over_ranks;
      std::unique_ptr<SystemMatrix> rows(new SystemMatrix(test::matrix_in_bands(own.team, matrix)));
      SystemSolver solver(std::move(rows), choose_solver(question), question, own.memory);
      const auto right = test::vectors_of(solver.matrix(), b), x = solver.matrix().vectors(2);
      for (int round = 0; round < 2; ++round) {
        solver.set_up();
        EXPECT_GT(solver.facts().pivots.growth, 1e5) << "nothing is tried out";
        const auto zero = solver.matrix().vectors(2);
        zero->fill(0);
        transposed ? solver.apply_transposed(*zero, *x) : solver.apply(*zero, *x);
        EXPECT_EQ(test::whole(*x).values, test::whole(*zero).values);
        transposed ? solver.apply_transposed(*right, *x) : solver.apply(*right, *x);
        EXPECT_LE(test::backward_error(matrix, b, test::whole(*x)), 1e-8);
        PhaseTimes times;
        solver.solve(*right, *x, times);
        EXPECT_LE(test::backward_error(matrix, b, test::whole(*x)), 4 * unit_roundoff);
        solver.set_values(std::vector<double>(solver.matrix().local_rows().values));
      }
    }
  }
}

TEST_P(SystemSolverTest, SaysWhatItCannotBeTrustedWith) {
  const Index n = 60;
  const Csr<double> matrix = test::with_condition(n, 1e11, 4);
  const Dense<double> b = test::multiply(matrix, random_multivector(n, 1, 9));
  SystemSolver solver = solver_for(matrix, AutoSwitch::off);
  solver.set_up();
  const SolveOutcome outcome = solve(solver, b).outcome;
  if (in_float()) {
    // Float cannot tell this condition from that of a singular matrix.
    EXPECT_NE(outcome.trust.doubt, Doubt::none);
    EXPECT_TRUE(std::isinf(outcome.trust.bound));
    return;
  }
  ASSERT_TRUE(outcome.condition);
  EXPECT_GE(outcome.condition->normwise, 1e10);
  const std::optional<MixedOutcome>& mixed = solver.facts().mixed;
  EXPECT_EQ(mixed.has_value(), GetParam().precision == Precision::mixed);
  const bool by_float = mixed && !mixed->fell_back;
  EXPECT_EQ(outcome.trust.doubt, by_float ? Doubt::factors : Doubt::none);
}

}  // namespace
}  // namespace spsolve
