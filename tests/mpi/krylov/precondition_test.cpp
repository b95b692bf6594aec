// One application of a preconditioner over the ranks of a team.

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"
#include "vectors/columns.hpp"

namespace spsolve {
namespace {

TEST_F(Krylov, OneCycleTakesFourFifthsOfAnErrorAway) {
  const Csr<double> whole = load_matrix("grid3d:12");
  for (const Method method : {Method::cg, Method::gmres}) {
    SolverOptions options;
    options.method = method;
    options.preconditioner = Preconditioner::multigrid;
    SystemSolver solver = solver_for(whole, options);
    solver.prepare();
    const auto b = test::vectors_of(solver.matrix(), random_multivector(whole.rows, 2, 3));
    const auto x = solver.matrix().vectors(2), r = copy_of(*b), step = solver.matrix().vectors(2);
    constexpr int cycles = 8;
    for (int k = 0; k < cycles; ++k) {
      solver.precondition(k % 2 == 1, *r, *step);  // A is symmetric
      x->combine(Columns(2, 1.0), Columns(2, 1.0), *step);
      solver.matrix().bands().apply(*x, *r);
      r->combine(Columns(2, -1.0), Columns(2, 1.0), *b);
    }
    const Columns before = maxima(*b), after = maxima(*r);
    for (const int column : {0, 1})
      EXPECT_LT(after[column], std::pow(0.3, cycles) * before[column]);
  }
}

TEST_F(Krylov, AnEliminationHasNoPreconditionerToApply) {
  SolverOptions options;
  options.method = Method::lu;
  SystemSolver solver = solver_for(load_matrix("grid2d:5"), options);
  solver.set_up();
  const auto b = solver.matrix().vectors(1), x = solver.matrix().vectors(1);
  const std::string told = test::error_of([&] { solver.precondition(false, *b, *x); },
                                          ExitCode::input, Scope::every_rank);
  EXPECT_NE(told.find("no preconditioner to apply"), std::string::npos);
}

}  // namespace
}  // namespace spsolve
