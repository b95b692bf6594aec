// Every Krylov method with every preconditioner, over the ranks of a team.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "distribute/reading/scatter.hpp"
#include "helpers/reference.hpp"
#include "io/matrix_source.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
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
  if (preconditioner == Preconditioner::shifted_laplacian) return false;  // of complex ones alone
  if (method.method == Method::cg || method.method == Method::block_cg) return family.definite;
  if (method.method == Method::minres) {
    const bool any_sign =
        preconditioner == Preconditioner::none || preconditioner == Preconditioner::jacobi;
    return family.definite || (family.symmetric && any_sign);
  }
  return true;
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
        if (method.symmetric() && !family.symmetric) continue;
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

TEST_F(Krylov, ColumnsThatAreDoneDoNotEndTheOthers) {
  // Their projections become quotients of zeros.
  const Csr<double> whole = load_matrix(ranks.team.size() == 1 ? "elastic3d:8" : "elastic3d:4");
  Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 4, 5));
  for (Index i = 0; i < b.rows; ++i) {
    b(i, 0) = 0;
    b(i, 2) = whole.values[whole.row_offsets[i]] * static_cast<double>(i == 0);
  }
  for (const Method method : {Method::gmres, Method::bicgstab, Method::idr}) {
    SCOPED_TRACE(name(method));
    SolverOptions options;
    options.method = method;
    options.preconditioner = Preconditioner::jacobi;
    options.condition = false;
    SystemSolver solver = solver_for(whole, options);
    solver.set_up();
    const Solved solved = solve(solver, b);
    EXPECT_TRUE(solved.krylov.converged) << solved.krylov.shortfall;
    EXPECT_LE(test::backward_error(whole, b, solved.x), 1e-12);
    for (Index i = 0; i < b.rows; ++i) EXPECT_EQ(solved.x(i, 0), 0);
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
      if (scaled && method.symmetric()) continue;
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

/// Rows of so many numbers are multiplied as complex ones, and the halo by real forms.
TEST_F(Krylov, SolvesComplexSystems) {
  const std::pair<const char*, Method> systems[] = {{"magnetic2d:100", Method::cg},
                                                    {"magnetic2d:100", Method::minres},
                                                    {"zconvdiff2d:100", Method::gmres},
                                                    {"zconvdiff2d:100", Method::bicgstab}};
  for (const auto& [generator, method] : systems) {
    SCOPED_TRACE(fmt::format("{} by {}", generator, name(method)));
    const Csr<double> form = load_real_form(generator).rows;
    ASSERT_EQ(real_form_kind(form), RealFormKind::plain);
    const Dense<double> solution = random_multivector(form.rows, 2, 5);
    const Dense<double> b = test::multiply(form, solution);
    SolverOptions options;
    options.method = method;
    options.preconditioner = Preconditioner::jacobi;
    SystemSolver solver = solver_for(form, options);
    solver.set_up();
    const Solved solved = solve(solver, b);
    EXPECT_LE(test::backward_error(form, b, solved.x), 1e-14);
    for (std::size_t k = 0; k < solution.values.size(); ++k) {
      ASSERT_NEAR(solved.x.values[k], solution.values[k], 1e-10);
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

}  // namespace
}  // namespace spsolve
