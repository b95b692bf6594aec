// Krylov methods of complex systems by their real forms, over the ranks of a team.

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"

namespace spsolve {
namespace {

class ComplexKrylov : public Krylov {};

/// Ranks that share the cores of a small machine wait for each other at every product.
bool is_tried(const Team& team, Method method, Preconditioner kind) {
  return team.size() == 1 || (kind == Preconditioner::ilu0 && method != Method::bicgstab);
}

constexpr Method of_any[] = {Method::gmres, Method::bicgstab, Method::idr};

TEST_F(ComplexKrylov, AComplexFactorOfARealMatrixCostsNoSteps) {
  // e^(i phi) A has the Krylov spaces of A, but for those of its real form.
  const Csr<double> real = load_matrix("convdiff3d:7");
  Csr<double> re = real, im = real;
  for (double& value : re.values) value *= std::cos(2.0);
  for (double& value : im.values) value *= std::sin(2.0);
  const Csr<double> turned = real_form(re, im);
  const Dense<double> b = test::multiply(turned, random_multivector(turned.rows, 2, 5));
  const Dense<double> of_real = test::multiply(real, random_multivector(real.rows, 2, 5));
  for (const Method method : of_any) {
    for (const Preconditioner kind : {Preconditioner::none, Preconditioner::jacobi,
                                      Preconditioner::ilu0, Preconditioner::elimination}) {
      if (!is_tried(ranks.team, method, kind)) continue;
      SCOPED_TRACE(fmt::format("{} {}", name(method), name(kind)));
      SystemSolver plain = solver_for(real, by(method, kind));
      plain.set_up();
      const Index steps = solve(plain, of_real).krylov.steps;
      SystemSolver solver = solver_for(turned, by(method, kind));
      solver.set_up();
      const Solved solved = solve(solver, b);
      EXPECT_TRUE(solved.krylov.converged);
      EXPECT_LE(solved.krylov.steps, steps + steps / 2 + 4);
      EXPECT_LE(test::backward_error(turned, b, solved.x), 1e-13);
      const Solved other = solve(solver, b, true);
      EXPECT_LE(test::backward_error(transpose(turned), b, other.x), 1e-13);
    }
  }
}

TEST_F(ComplexKrylov, SymmetricOnesAreSolvedByCocrWhateverTheSignsOfTheirRows) {
  const bool alone = ranks.team.size() == 1;
  for (const char* const generator : {alone ? "zhelm2d:16" : "zhelm2d:10", "zhelm3d:4"}) {
    for (const bool conjugated : {false, true}) {
      Csr<double> form = load_real_form(generator).rows;
      if (conjugated) conjugate_rows(form);
      const Dense<double> b = test::multiply(form, random_multivector(form.rows, 3, 5));
      for (const Method method : {Method::cocr, Method::gmres, Method::bicgstab, Method::idr}) {
        for (const Preconditioner kind :
             {Preconditioner::none, Preconditioner::jacobi, Preconditioner::block_jacobi,
              Preconditioner::ilu0, Preconditioner::elimination}) {
          if (!is_tried(ranks.team, method, kind)) continue;
          SCOPED_TRACE(fmt::format("{} {} {} {}", generator, conjugated, name(method), name(kind)));
          SystemSolver solver = solver_for(form, by(method, kind));
          solver.set_up();
          const Solved solved = solve(solver, b);
          EXPECT_TRUE(solved.krylov.converged);
          EXPECT_LE(test::backward_error(form, b, solved.x), 1e-13);
          const Solved other = solve(solver, b, true);
          EXPECT_LE(test::backward_error(transpose(form), b, other.x), 1e-13);
        }
      }
    }
  }
}

TEST_F(ComplexKrylov, CocrRefusesWhatIsNotSymmetric) {
  for (const char* const generator : {"zconvdiff2d:9", "magnetic2d:9", "convdiff3d:4"}) {
    SystemSolver solver =
        solver_for(load_real_form(generator).rows, by(Method::cocr, Preconditioner::none));
    try {
      solver.set_up();
      ADD_FAILURE() << generator;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("wants a symmetric matrix, A = A^T"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST_F(ComplexKrylov, AZeroStepOfCocrIsABreakdownThatIsNamed) {
  // b^T A b = 0 for b = (1, i) and A = I.
  Csr<double> identity;
  identity.rows = identity.columns = 2;
  identity.column_indices.assign({0, 1});
  identity.values.assign({1.0, 1.0});
  identity.row_offsets.assign({0, 1, 2});
  Csr<double> zero = identity;
  std::ranges::fill(zero.values, 0.0);
  const Csr<double> form = real_form(identity, zero);
  SystemSolver solver = solver_for(form, by(Method::cocr, Preconditioner::none));
  solver.set_up();
  Dense<double> b(4, 1);
  b.values.assign({1, 0, 0, 1});
  const Solved solved = solve(solver, b);
  EXPECT_FALSE(solved.krylov.converged);
  EXPECT_NE(solved.krylov.shortfall.find("broke down"), std::string::npos)
      << solved.krylov.shortfall;
}

TEST_F(ComplexKrylov, JacobiTakesTheNumbersOfTheDiagonal) {
  // Whose real parts are zeros.
  const Csr<double> real = load_matrix("convdiff3d:5");
  Csr<double> re = real, im = real;
  for (Index i = 0; i < real.rows; ++i) {
    for (Index k = real.row_offsets[i]; k < real.row_offsets[i + 1]; ++k) {
      const bool diagonal = real.column_indices[k] == i;
      re.values[k] = diagonal ? 0 : 0.5 * real.values[k];
      if (!diagonal) im.values[k] *= 0.25;
    }
  }
  const Csr<double> form = real_form(re, im);
  const Dense<double> b = random_multivector(form.rows, 1, 4);
  for (const Method method : of_any) {
    SystemSolver solver = solver_for(form, by(method, Preconditioner::jacobi));
    solver.set_up();
    EXPECT_TRUE(solve(solver, b).krylov.converged) << name(method);
  }
}

}  // namespace
}  // namespace spsolve
