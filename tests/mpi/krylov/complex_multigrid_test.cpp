// Multigrid of complex systems in complex numbers, over the ranks of a team.

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "krylov_systems.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"

namespace spsolve {
namespace {

class ComplexMultigrid : public Krylov {
 protected:
  static SolverOptions by(Method method, Preconditioner preconditioner) {
    return Krylov::by(method, preconditioner, 1e-11);
  }

  /// The steps to the solution of a system in Krylov's way, and of its transpose if it is asked
  /// for.
  Index steps_of(const Csr<double>& matrix, const SolverOptions& options, bool transposed = false) {
    SystemSolver solver = solver_for(matrix, options);
    solver.set_up();
    const Dense<double> b = random_multivector(matrix.rows, 2, 5);
    const Solved solved = solve(solver, b, transposed);
    EXPECT_TRUE(solved.krylov.converged);
    EXPECT_LE(test::backward_error(transposed ? transpose(matrix) : matrix, b, solved.x), 1e-10);
    return solved.krylov.steps;
  }

  void expect_refusal(const Csr<double>& matrix, Method method, const std::string& words) {
    try {
      solver_for(matrix, by(method, Preconditioner::shifted_laplacian)).set_up();
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
};

/// The real form of a_ij e^(i phase(i, j)).
template <typename Phase>
Csr<double> with_phases(const Csr<double>& real, const Phase& phase) {
  Csr<double> re = real, im = real;
  for (Index i = 0; i < real.rows; ++i) {
    for (Index k = real.row_offsets[i]; k < real.row_offsets[i + 1]; ++k) {
      const double angle = phase(i, Index{real.column_indices[k]});
      re.values[k] *= std::cos(angle);
      im.values[k] *= std::sin(angle);
    }
  }
  return real_form(re, im);
}

/// D^H A D for D = diag(e^(i phi_j)) of phases that jump from row to row.
Csr<double> turned_by_diagonal(const Csr<double>& real) {
  return with_phases(real, [](Index i, Index j) {
    return 0.1 * static_cast<double>(j * j % 61) - 0.1 * static_cast<double>(i * i % 61);
  });
}

TEST_F(ComplexMultigrid, PhasesOfUnknownsCostNoSteps) {
  for (const char* const generator : {"grid3d:14", "aniso2d:50"}) {
    const Csr<double> real = load_matrix(generator);
    const SolverOptions options = by(Method::cg, Preconditioner::multigrid);
    const Index steps = steps_of(real, options);
    EXPECT_LE(steps_of(turned_by_diagonal(real), options), steps + 3) << generator;
  }
}

TEST_F(ComplexMultigrid, AMagneticFieldCostsNoSteps) {
  // A hundredth of a flux quantum through every cell: constants are no near null space anywhere.
  const Index side = 48;
  const Csr<double> real = load_matrix("grid2d:48");
  const Csr<double> magnetic = with_phases(real, [side](Index i, Index j) {
    const double way = i - j == 1 ? -1 : j - i == 1 ? 1 : 0;
    return way * 2 * M_PI * 0.01 * static_cast<double>(i / side);
  });
  for (const Method method : {Method::cg, Method::minres, Method::gmres}) {
    const SolverOptions options = by(method, Preconditioner::multigrid);
    EXPECT_LE(steps_of(magnetic, options), steps_of(real, options) + 3) << name(method);
  }
}

TEST_F(ComplexMultigrid, AComplexFactorCostsFewSteps) {
  const Csr<double> real = load_matrix("grid2d:48");
  const Index steps = steps_of(real, by(Method::gmres, Preconditioner::multigrid));
  const Csr<double> turned = with_phases(real, [](Index, Index) { return 2.0; });
  for (const Method method : {Method::gmres, Method::cocr}) {
    for (const bool transposed : {false, true}) {
      EXPECT_LE(steps_of(turned, by(method, Preconditioner::multigrid), transposed), 2 * steps)
          << name(method) << transposed;
    }
  }
}

TEST_F(ComplexMultigrid, TheShiftedLaplacianIsForHelmholtzWhateverTheSignsOfRows) {
  for (const bool conjugated : {false, true}) {
    Csr<double> form = load_real_form("zhelm2d:40").rows;
    if (conjugated) conjugate_rows(form);
    const Index without = steps_of(form, by(Method::gmres, Preconditioner::jacobi));
    for (const Method method : {Method::gmres, Method::cocr, Method::bicgstab, Method::idr}) {
      for (const bool transposed : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", conjugated, name(method), transposed));
        const SolverOptions options = by(method, Preconditioner::shifted_laplacian);
        EXPECT_LE(4 * steps_of(form, options, transposed), 3 * without);
      }
    }
  }
}

TEST_F(ComplexMultigrid, NewValuesAreTakenIn) {
  Csr<double> form = load_real_form("zhelm2d:40").rows;
  const Dense<double> b = random_multivector(form.rows, 1, 3);
  for (const auto kind : {Preconditioner::multigrid, Preconditioner::shifted_laplacian}) {
    SystemSolver solver = solver_for(form, by(Method::gmres, kind));
    solver.set_up();
    const Index steps = solve(solver, b).krylov.steps;
    Csr<double> other = form;
    for (double& value : other.values) value *= -3;
    solver.set_values(test::matrix_in_bands(ranks.team, other).bands().global_rows().values);
    solver.set_up();
    const Solved solved = solve(solver, b);
    EXPECT_TRUE(solved.krylov.renewed);
    EXPECT_LE(test::backward_error(other, b, solved.x), 1e-10);
    EXPECT_LE(solved.krylov.steps, steps + 2);
  }
}

TEST_F(ComplexMultigrid, TheShiftedLaplacianRefusesWhatItIsNotFor) {
  const std::string complex = "wants a complex matrix that is not Hermitian";
  expect_refusal(load_matrix("grid2d:20"), Method::gmres, complex);
  expect_refusal(load_real_form("magnetic2d:20").rows, Method::gmres, complex);
  expect_refusal(load_real_form("magnetic2d:20").rows, Method::cg, complex);
  expect_refusal(load_real_form("zconvdiff2d:20").rows, Method::gmres,
                 "wants a Helmholtz equation");
}

}  // namespace
}  // namespace spsolve
