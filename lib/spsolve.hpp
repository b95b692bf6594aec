#pragma once

// What a program of your own needs from spsolve: matrices, one call that multiplies and one that
// solves. Over MPI ranks add "mpi/mpi_team.hpp" and hand an MpiTeam to solve(). What lies below is
// in the headers named here and in their neighbours.

#include <string_view>

#include "core/error.hpp"
#include "core/team.hpp"
#include "eliminate/options.hpp"
#include "eliminate/pivot_statistics.hpp"
#include "eliminate/refine.hpp"
#include "io/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "matrix/coo.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "matrix/generate.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

namespace spsolve {

/// Y = A X on the host, with all threads that OpenMP gives; X is A.columns x K, Y is A.rows x K.
/// `kernel` is a name of the table that `spbench --list-kernels` shows. Converts A to the kernel's
/// format in every call, in time and memory linear in the non-zeros: who multiplies often calls
/// prepare() of multiply/kernel.hpp once. Throws Error(input) where the sizes do not fit or the
/// kernel refuses the matrix.
template <typename T>
Dense<T> multiply(const Csr<T>& a, const Dense<T>& x, std::string_view kernel = "csr_balanced");

/// How solve() goes about it: words of the section `solve` of a configuration.
struct SolveOptions {
  Method method = Method::automatic;
  Pivoting pivoting = Pivoting::automatic;
  Precision precision = Precision::float64;
  Index block = 0;     ///< lu: columns of a panel; 0 chooses by itself
  int refinement = 3;  ///< most sweeps of iterative refinement
};

/// A solution, and how far it can be trusted.
struct Solution {
  Dense<double> x;        ///< n x K
  Refinement refinement;  ///< refinement.after: the backward errors of x
  PivotStatistics pivots;
};

/// Solves A X = B for the square A, n x n, and B, n x K, by dense elimination and iterative
/// refinement against the sparse A: 2/3 n^3 operations, n^2 elements over all ranks. Rank 0 brings
/// A and B, the others empty ones; every rank gets the Solution. Throws the same Error on every
/// rank: input where the sizes do not fit, not_trustworthy where A is singular, resources where
/// memory is short. Collective.
Solution solve(Team& team, const Csr<double>& a, const Dense<double>& b,
               const SolveOptions& options = {});

/// The same in this process alone.
Solution solve(const Csr<double>& a, const Dense<double>& b, const SolveOptions& options = {});

}  // namespace spsolve
