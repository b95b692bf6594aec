#pragma once

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

/// Solves over any team and any memory in which every rank has its rows of b and x, and no others.
namespace spsolve::test {

/// A random matrix of order n that `choice` can eliminate: with a dominant diagonal where it does
/// not pivot. A complex one is its real form, with rows of the opposite sign where n is odd.
inline Csr<double> system_in_bands(Index n, const EliminationChoice& choice) {
  Dense<double> dense = random_multivector(n, n, n + 2);
  for (Index i = 0; i < n && choice.pivoting == Pivoting::none; ++i) {
    dense(i, i) += 2.0 * static_cast<double>(n);
  }
  if (!choice.complex) return sparse(dense);
  Csr<double> form = real_form(sparse(dense), sparse(random_multivector(n, n, n + 3)));
  if (n % 2 == 1) conjugate_rows(form);
  return form;
}

/// Solves with A and A^T for 1 and 3 right-hand sides; backward errors are at most `bound`, 0:
/// 1e4 times those of LAPACK for Gauss-Jordan, 50 times for others.
inline void expect_solved_in_bands(Team& team, ComputeDevice& memory, Index n,
                                   const EliminationChoice& choice, double bound = 0) {
  const Csr<double> matrix = system_in_bands(n, choice);
  EliminatedSystem system(team, memory, matrix, choice);
  system.eliminate();
  for (const Index columns : {1, 3}) {
    const Dense<double> b = random_multivector(matrix.rows, columns, n + 1);
    for (const bool transposed : {false, true}) {
      const Dense<double> x = transposed ? system.solve_transposed(b) : system.solve(b);
      const Csr<double> solved = transposed ? transpose(matrix) : matrix;
      const double factor = choice.method == Method::gauss_jordan ? 1e4 : 50;
      const double largest =
          bound > 0 ? bound
                    : factor * std::max(backward_error(solved, b, lapack_solve(solved, b)),
                                        unit_roundoff);
      EXPECT_LE(backward_error(solved, b, x), largest)
          << name(choice.method) << " " << name(choice.pivoting) << " of order " << n << " by "
          << choice.block << ", " << columns << " columns" << (transposed ? ", transposed" : "")
          << (choice.complex ? ", complex" : "");
    }
  }
}

/// Every method with every pivoting that goes with it.
inline std::vector<EliminationChoice> choices_in_bands(Precision precision, bool complex = false) {
  std::vector<EliminationChoice> choices;
  for (const Method method : {Method::lu, Method::gauss, Method::gauss_jordan}) {
    for (const Pivoting pivoting :
         {Pivoting::none, Pivoting::partial, Pivoting::complete, Pivoting::tournament}) {
      if (!why_not(method, pivoting).empty()) continue;
      choices.push_back({method, pivoting, precision, 8, false, complex});
    }
  }
  return choices;
}

}  // namespace spsolve::test
