// Every Krylov method with every preconditioner, over the ranks of a team.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "distribute/halo/fetch_rows.hpp"
#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "helpers/reference.hpp"
#include "io/matrix_source.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

namespace spsolve {
namespace {

struct Family {
  const char* generator;
  bool definite, symmetric;
  bool for_many = false;  ///< ranks
};

constexpr Family families[] = {
    {"grid2d:30", true, true},
    {"grid3d:11", true, true},
    {"elastic3d:6", true, true},
    {"aniso2d:25", true, true},
    {"tridiagonal:300", true, true},
    {"convdiff3d:9", false, false},
    {"circuit:800", false, false},
    {"helmholtz2d:20", false, true},
    {"grid2d:16", true, true, true},
    {"elastic3d:4", true, true, true},
    {"convdiff3d:6", false, false, true},
};

/// Whether M may be positive definite for such a matrix.
bool fits(const Family& family, const KrylovMethod& method, Preconditioner preconditioner) {
  if (method.method == Method::cg || method.method == Method::block_cg) return family.definite;
  if (method.method == Method::minres) {
    const bool any_sign =
        preconditioner == Preconditioner::none || preconditioner == Preconditioner::jacobi;
    return family.definite || (family.symmetric && any_sign);
  }
  return true;
}

TEST_F(Krylov, GmresStopsWithinACycleWhereItIsEnough) {
  const Csr<double> whole = load_matrix("convdiff3d:10");
  SolverOptions options;
  options.method = Method::gmres;
  options.preconditioner = Preconditioner::ilu0;
  options.condition = false;
  options.refinement = 0;
  for (const Index columns : {1, 3}) {
    const Dense<double> b = random_multivector(whole.rows, columns, 3);
    for (const double tolerance : {1e-3, 1e-6, 1e-9, 3e-12}) {
      SCOPED_TRACE(fmt::format("{} {}", columns, tolerance));
      options.tolerance = tolerance;
      options.iterations = 0;
      SystemSolver solver = solver_for(whole, options);
      solver.set_up();
      const KrylovOutcome enough = solve(solver, b).krylov;
      EXPECT_TRUE(enough.converged);
      EXPECT_LE(enough.history.back(), tolerance);
      if (enough.steps > options.restart || enough.steps < 3) continue;
      // Two steps before that it was not enough, by the true residual.
      options.iterations = enough.steps - 2;
      SystemSolver before = solver_for(whole, options);
      before.set_up();
      const Solved less = solve(before, b);
      EXPECT_FALSE(less.krylov.converged);
      EXPECT_GT(test::backward_error(whole, b, less.x), tolerance);
    }
  }
}

TEST_F(Krylov, GmresDoesNotCallItAStandstillWhereLessThanAHalfIsWanted) {
  // Maxima and Euclidean norms of residuals do not shrink alike: one is the other's limit here.
  struct Case {
    const char* generator;
    Preconditioner preconditioner;
    std::vector<double> tolerances;
  };
  for (const Case& each :
       {Case{"convdiff3d:10", Preconditioner::chebyshev, {2e-13, 1e-13, 6e-14}},
        Case{"elastic3d:4", Preconditioner::none, {1e-12, 5e-13, 2e-13, 1e-13}}}) {
    // Ranks that share the cores of a small machine wait for each other at every product.
    if (ranks.team.size() > 1 && each.preconditioner == Preconditioner::none) continue;
    const Csr<double> whole = load_matrix(each.generator);
    const Dense<double> b = random_multivector(whole.rows, 1, 1);
    for (const double tolerance : each.tolerances) {
      SolverOptions options;
      options.method = Method::gmres;
      options.preconditioner = each.preconditioner;
      options.condition = false;
      options.tolerance = tolerance;
      SystemSolver solver = solver_for(whole, options);
      solver.set_up();
      EXPECT_TRUE(solve(solver, b).krylov.converged) << each.generator << " " << tolerance;
    }
  }
}

TEST_F(Krylov, EveryMethodWithEveryPreconditionerSolvesOrSaysThatItDidNot) {
  int solved_pairs = 0;
  // Ranks that share the cores of a small machine wait for each other at every product: a small
  // family of each kind, and the preconditioners that know of ranks, for them.
  const bool alone = ranks.team.size() == 1;
  const auto is_tried = [&](Preconditioner kind) {
    return alone || kind == Preconditioner::ilu0 || kind == Preconditioner::multigrid ||
           kind == Preconditioner::elimination;
  };
  for (const Family& family : families) {
    if (alone == family.for_many) continue;
    const Csr<double> whole = load_matrix(family.generator);
    const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 2, 5));
    for (const KrylovMethod& method : krylov_methods()) {
      for (const PreconditionerRow& preconditioner : preconditioners()) {
        if (method.symmetric && !family.symmetric) continue;
        if (!fits(family, method, preconditioner.kind)) continue;
        if (!is_tried(preconditioner.kind)) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", family.generator, name(method.method),
                                 name(preconditioner.kind)));
        SolverOptions options;
        options.method = method.method;
        options.preconditioner = preconditioner.kind;
        options.iterations = alone ? 600 : 100;
        options.condition = false;
        try {
          SystemSolver solver = solver_for(whole, options);
          solver.set_up();
          const Solved solved = solve(solver, b);
          const double error = test::backward_error(whole, b, solved.x);
          if (solved.krylov.converged) {
            ++solved_pairs;
            EXPECT_LE(error, 1e-12);
            EXPECT_LE(solved.outcome.refinement.after.backward_error, 1e-12);
          } else {
            // It may have come near enough to be good for something, but then it is.
            EXPECT_TRUE(solved.outcome.trust.verdict != Verdict::solved || error <= 1e-12) << error;
            EXPECT_NE(solved.krylov.shortfall, "");
          }
          EXPECT_EQ(static_cast<Index>(solved.krylov.history.size()), solved.krylov.steps + 1);
        } catch (const Error& error) {
          // A zero on a diagonal, a singular block; no method may fail on a definite matrix.
          EXPECT_FALSE(family.definite) << error.what();
        }
      }
    }
  }
  EXPECT_GT(solved_pairs, alone ? 150 : 30);
}

TEST_F(Krylov, SolvesWithTheTransposedMatrixToo) {
  const Csr<double> whole = load_matrix("convdiff3d:8");
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  for (const Method method : {Method::gmres, Method::bicgstab, Method::idr}) {
    SCOPED_TRACE(name(method));
    SolverOptions options;
    options.method = method;
    SystemSolver solver = solver_for(whole, options);
    solver.set_up();
    const Solved solved = solve(solver, b, true);
    EXPECT_EQ(solved.outcome.trust.verdict, Verdict::solved);
    EXPECT_LE(test::backward_error(transpose(whole), b, solved.x), 1e-13);
  }
}

TEST_F(Krylov, StopsAtTheToleranceThatIsAskedFor) {
  const Csr<double> whole = load_matrix("grid2d:25");
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  Index steps = 0;
  for (const double tolerance : {1e-4, 1e-8, 0.0}) {
    SolverOptions options;
    options.method = Method::cg;
    options.preconditioner = Preconditioner::jacobi;
    options.tolerance = tolerance;
    SystemSolver solver = solver_for(whole, options);
    solver.set_up();
    const Solved solved = solve(solver, b);
    const double error = solved.outcome.refinement.after.backward_error;
    EXPECT_TRUE(solved.krylov.converged);
    EXPECT_LE(error, tolerance > 0 ? tolerance : 1e-13);
    if (tolerance > 0) {
      EXPECT_GT(error, tolerance / 1e3) << "it went on for longer than it was asked to";
    }
    EXPECT_GT(solved.krylov.steps, steps);
    steps = solved.krylov.steps;
  }
}

TEST_F(Krylov, TheToleranceIsThatOfTheMatrixAsItIsAlsoWhereItIsEquilibrated) {
  const Csr<double> whole = with_a_small_row_and_column();
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  for (const bool transposed : {false, true}) {
    const Csr<double> matrix = transposed ? transpose(whole) : whole;
    for (const Method method : {Method::gmres, Method::bicgstab, Method::idr}) {
      for (const double tolerance : {1e-4, 1e-9}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name(method), tolerance, transposed));
        SolverOptions options;
        options.method = method;
        options.preconditioner = Preconditioner::jacobi;
        options.tolerance = tolerance;
        options.refinement = 0;
        options.condition = false;
        SystemSolver solver = solver_for(whole, options);
        solver.set_up();
        const Solved solved = solve(solver, b, transposed);
        EXPECT_TRUE(solver.scaling().scales);
        EXPECT_TRUE(solved.krylov.converged);
        EXPECT_LE(test::backward_error(matrix, b, solved.x), tolerance);
        EXPECT_EQ(solved.krylov.history.size(), static_cast<std::size_t>(solved.krylov.steps) + 1);
      }
    }
  }
}

TEST_F(Krylov, AFirstGuessSavesSteps) {
  // Scaled by gmres and its like, whose unknowns are then others.
  Csr<double> whole = load_matrix("grid2d:20");
  for (const bool scaled : {false, true}) {
    if (scaled) {
      for (Index i = 0; i < whole.rows; ++i) {
        for (Index k = whole.row_offsets[i]; k < whole.row_offsets[i + 1]; ++k) {
          whole.values[k] *= whole.column_indices[k] % 3 == 0 ? 4096 : 1;
        }
      }
    }
    const Dense<double> solution = random_multivector(whole.rows, 2, 5);
    const Dense<double> b = test::multiply(whole, solution);
    Dense<double> near = solution;
    for (double& value : near.values) value *= 1 + 1e-9;
    for (const KrylovMethod& method : krylov_methods()) {
      if (scaled && method.symmetric) continue;
      SCOPED_TRACE(fmt::format("{} {}", name(method.method), scaled));
      SolverOptions options;
      options.method = method.method;
      options.preconditioner = Preconditioner::jacobi;
      options.condition = false;
      std::vector<Index> steps;
      const Dense<double>* const guesses[] = {nullptr, &near, &solution};
      for (const Dense<double>* const guess : guesses) {
        SystemSolver solver = solver_for(whole, options);
        const auto right = test::vectors_of(solver.matrix(), b);
        const auto x = solver.matrix().vectors(2);
        const auto first = guess != nullptr ? test::vectors_of(solver.matrix(), *guess) : nullptr;
        solver.prepare();
        EXPECT_EQ(solver.scaling().scales, scaled);
        Progress silent("test", 0, Progress::Show::off);
        solver.eliminate(silent, nullptr, right.get(), first.get());
        PhaseTimes times;
        solver.solve(*right, *x, times);
        EXPECT_LE(test::backward_error(whole, b, test::whole(*x)), 1e-12);
        steps.push_back(solver.facts().krylov->steps);
      }
      EXPECT_LT(steps[1], steps[0]);
      EXPECT_EQ(steps[2], 0);
    }
  }
}

TEST_F(Krylov, StopsWhenItsTimeIsUp) {
  const Csr<double> whole = load_matrix("grid2d:30");
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  for (const KrylovMethod& method : krylov_methods()) {
    SCOPED_TRACE(name(method.method));
    SolverOptions options;
    options.method = method.method;
    options.preconditioner = Preconditioner::jacobi;
    options.time_limit = 1e-6;  // less than a step takes
    SystemSolver solver = solver_for(whole, options);
    const auto right = test::vectors_of(solver.matrix(), b);
    const auto x = solver.matrix().vectors(1);
    solver.prepare();
    Progress silent("test", 0, Progress::Show::off);
    solver.eliminate(silent, nullptr, right.get());
    PhaseTimes times;
    const SolveOutcome outcome = solver.solve(*right, *x, times);
    const KrylovOutcome& krylov = *solver.facts().krylov;
    EXPECT_EQ(krylov.steps, 1);
    EXPECT_FALSE(krylov.converged);
    EXPECT_NE(krylov.shortfall.find("took all of its time, 1e-06 s"), std::string::npos);
    EXPECT_EQ(outcome.trust.verdict, Verdict::not_trustworthy);
    EXPECT_LT(outcome.refinement.after.backward_error, 1) << "x is that of the step";
  }
}

TEST_F(Krylov, NamesMatricesThatItsMethodsAreNotFor) {
  const auto message_of = [&](const char* generator, Method method, Preconditioner kind,
                              ExitCode code) {
    SolverOptions options;
    options.method = method;
    options.preconditioner = kind;
    return test::error_of(
        [&] {
          SystemSolver solver = solver_for(load_matrix(generator), options);
          solver.set_up();
          solve(solver, random_multivector(load_matrix(generator).rows, 1, 3));
        },
        code);
  };
  using enum Preconditioner;
  const auto has = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  has(message_of("convdiff3d:6", Method::cg, none, ExitCode::input), "wants a symmetric matrix");
  has(message_of("convdiff3d:6", Method::minres, none, ExitCode::input),
      "wants a symmetric matrix");
  has(message_of("helmholtz2d:20", Method::cg, none, ExitCode::not_trustworthy),
      "not positive definite");
  has(message_of("kkt:300", Method::gmres, jacobi, ExitCode::input),
      "wants a diagonal without zeros");
}

TEST_F(Krylov, AutoIteratesAtFirstAndEliminatesWhereThatDoesNotDo) {
  const Csr<double> whole = load_matrix("grid3d:12");
  const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 2, 5));
  SolverQuestion question;
  question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
  question.ranks = ranks.team.size();
  question.study =
      study_sparsity(ranks.team, ranks.team.rank() == 0 ? whole : Csr<double>{}, question.options);
  EXPECT_TRUE(question.study.outlook.elliptic);
  const auto row = std::ranges::find(solver_table(), Method::cg, &SolverRow::method);
  ASSERT_NE(row, solver_table().end());
  EXPECT_EQ(row->refuse(question), "");
  for (const bool enough : {true, false}) {
    question.options.iterations = enough ? 0 : 2;
    std::unique_ptr<SystemMatrix> matrix(
        new SystemMatrix(test::matrix_in_bands(ranks.team, whole)));
    std::string why;
    SystemSolver solver(std::move(matrix), *row, question, ranks.memory,
                        [&](const std::string& sentence) { why = sentence; });
    // Once more from the beginning, with the values that are there.
    for (int round = 0; round < 2; ++round) {
      solver.set_up();
      const auto x = solver.matrix().vectors(b.columns);
      PhaseTimes times;
      const auto right = test::vectors_of(solver.matrix(), b);
      const SolveOutcome outcome = solver.solve(*right, *x, times);
      EXPECT_EQ(outcome.trust.verdict, Verdict::solved);
      EXPECT_LE(test::backward_error(whole, b, test::whole(*x)), 1e-14);
      EXPECT_EQ(solver.choice().method, enough ? Method::cg : Method::sparse_cholesky);
      EXPECT_EQ(solver.facts().krylov.has_value(), enough);
      EXPECT_EQ(solver.facts().sparse.has_value(), !enough);
      EXPECT_EQ(why.empty(), enough);
      if (!enough) {
        EXPECT_NE(solver.facts().notes.back().find("eliminated after all"), std::string::npos);
      }
    }
  }
}

TEST_F(Krylov, AutoKeepsItsPromiseOrAnalysesAndEliminates) {
  struct Case {
    const char* generator;
    Method iterates, eliminates;
    double sign = 1;
  };
  for (const Case& each : {Case{"cage:700", Method::bicgstab, Method::sparse_lu},
                           Case{"grid3d:12", Method::cg, Method::sparse_cholesky},
                           Case{"grid3d:12", Method::cg, Method::sparse_ldlt, -1}}) {
    Csr<double> whole = load_matrix(each.generator);
    for (double& value : whole.values) value *= each.sign;
    const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 1, 5));
    SolverQuestion question;
    question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
    question.ranks = ranks.team.size();
    question.study = study_sparsity(ranks.team, ranks.team.rank() == 0 ? whole : Csr<double>{},
                                    question.options, {}, true);
    EXPECT_FALSE(question.study.outlook.analysed);
    for (const bool enough : {true, false}) {
      SCOPED_TRACE(fmt::format("{} {}", each.generator, enough));
      if (!enough) question.study.outlook.promise.steps = 2;
      std::unique_ptr<SystemMatrix> matrix(
          new SystemMatrix(test::matrix_in_bands(ranks.team, whole)));
      const SolverRow& row = choose_solver(question);
      EXPECT_EQ(row.method, each.iterates);
      std::string why;
      SystemSolver solver(std::move(matrix), row, question, ranks.memory,
                          [&](const std::string& sentence) { why = sentence; });
      for (int round = 0; round < 2; ++round) {
        solver.set_up();
        const auto x = solver.matrix().vectors(1);
        PhaseTimes times;
        const auto right = test::vectors_of(solver.matrix(), b);
        const SolveOutcome outcome = solver.solve(*right, *x, times);
        EXPECT_EQ(outcome.trust.verdict, Verdict::solved);
        EXPECT_LE(test::backward_error(whole, b, test::whole(*x)), 1e-14);
        EXPECT_EQ(solver.choice().method, enough ? each.iterates : each.eliminates);
        EXPECT_EQ(solver.facts().sparse.has_value(), !enough);
        EXPECT_EQ(why.empty(), enough);
        if (!enough && each.sign < 0) {
          EXPECT_EQ(solver.facts().sparse->negative_pivots, whole.rows);
        }
        if (!enough) {
          EXPECT_NE(solver.facts().notes.back().find(fmt::format(
                        "auto took {} first, and eliminated after all", name(each.iterates))),
                    std::string::npos)
              << solver.facts().notes.back();
        }
      }
    }
  }
}

TEST_F(Krylov, HasTheSameBitsTwice) {
  const Csr<double> whole = load_matrix("elastic3d:4");
  const Dense<double> b = random_multivector(whole.rows, 3, 3);
  for (const KrylovMethod& method : krylov_methods()) {
    SolverOptions options;
    options.method = method.method;
    std::vector<double> before;
    for (int run = 0; run < 2; ++run) {
      SystemSolver solver = solver_for(whole, options);
      solver.set_up();
      const Solved solved = solve(solver, b);
      if (run > 0) {
        EXPECT_EQ(solved.x.values, before) << name(method.method);
      }
      before = solved.x.values;
    }
  }
}

TEST_F(Krylov, NewValuesOfThePatternAreTakenIn) {
  Csr<double> whole = load_matrix("grid2d:50");
  const Dense<double> b = random_multivector(whole.rows, 1, 3);
  SolverOptions options;
  options.method = Method::cg;
  options.preconditioner = Preconditioner::multigrid;
  SystemSolver solver = solver_for(whole, options);
  solver.set_up();
  solve(solver, b);
  for (Index i = 0; i < whole.rows; ++i) {
    for (Index k = whole.row_offsets[i]; k < whole.row_offsets[i + 1]; ++k) {
      if (whole.column_indices[k] == i) whole.values[k] += 1;
    }
  }
  const RowLayout layout{whole.rows, ranks.team.size()};
  solver.set_values(scatter_rows(ranks.team, layout, Csr<double>(whole)).values);
  solver.set_up();
  EXPECT_LE(test::backward_error(whole, b, solve(solver, b).x), 1e-14);
}

TEST_F(Krylov, MultigridTakesAsManyStepsForFinerGridsAndMoreRanks) {
  // Smoothed aggregation of the model problem: no more than a few more steps from one grid to one
  // with four times the unknowns, and nearly the same for any number of ranks.
  std::vector<Index> steps;
  for (const char* generator : {"grid2d:50", "grid2d:100"}) {
    const Csr<double> whole = load_matrix(generator);
    SolverOptions options;
    options.method = Method::cg;
    options.preconditioner = Preconditioner::multigrid;
    options.condition = false;
    SystemSolver solver = solver_for(whole, options);
    solver.set_up();
    const Solved solved = solve(solver, random_multivector(whole.rows, 1, 3));
    EXPECT_TRUE(solved.krylov.converged);
    steps.push_back(solved.krylov.steps);
    EXPECT_EQ(solved.krylov.levels.front().rows, whole.rows);
    EXPECT_GE(solved.krylov.levels.size(), 2u);
  }
  EXPECT_LE(steps.back(), 20);
  EXPECT_LE(steps.back(), steps.front() + 5);
}

TEST(FetchRows, BringsTheHalosRows) {
  test::HostRanks ranks;
  const Csr<double> whole = load_matrix("random_sparse:97:97:5:seed=3");
  SystemMatrix matrix(test::matrix_in_bands(ranks.team, whole));
  const HaloPlan& plan = matrix.bands().halo().plan();
  const Csr<double> halo = fetch_rows(ranks.team, plan, matrix.bands().global_rows());
  ASSERT_EQ(halo.rows, plan.halo_rows());
  for (Index k = 0; k < halo.rows; ++k) {
    const Index row = plan.halo[k];
    EXPECT_TRUE(std::ranges::equal(halo.row_columns(k), whole.row_columns(row)));
    EXPECT_TRUE(std::ranges::equal(halo.row_values(k), whole.row_values(row)));
  }
}

TEST(TransposedRows, OfRectangularMatrices) {
  test::HostRanks ranks;
  const Csr<double> whole = load_matrix("random_sparse:60:23:4:seed=5");
  const RowLayout rows{60, ranks.team.size()}, columns{23, ranks.team.size()};
  const Csr<double> own = scatter_rows(ranks.team, rows, Csr<double>(whole));
  const Csr<double> result = transposed_rows(ranks.team, rows, columns, own);
  const Csr<double> expected = scatter_rows(ranks.team, columns, transpose(whole));
  EXPECT_EQ(result.row_offsets, expected.row_offsets);
  EXPECT_EQ(result.column_indices, expected.column_indices);
  EXPECT_EQ(result.values, expected.values);
}

}  // namespace
}  // namespace spsolve
