#pragma once

#include <vector>

#include "krylov/multigrid/aggregates.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// An interpolation from aggregates that takes their near null space to that of a matrix.
struct Tentative {
  Csr<double> rows;          ///< P_0 of own rows, columns global coarse ones
  Dense<double> null_space;  ///< the coarse unknowns' part of it: own coarse rows x m
  RowLayout coarse;          ///< m unknowns for each aggregate, rank after rank
};

/// P_0 with orthonormal columns and P_0 B_c = B for the near null space B (own rows x m) of a
/// matrix with `size` unknowns a node: the parts of B in every aggregate orthogonalised by
/// Householder reflections; columns that depend on others there are zero. Collective: an all-gather
/// of the numbers of aggregates.
Tentative tentative_prolongation(const BandMatrix& matrix, Index size, const Aggregates& aggregates,
                                 const Dense<double>& null_space);

/// P = (I - omega D_F^-1 A_F) P_0 for filtered rows A_F and their diagonal D_F. Collective: rows of
/// P_0 from neighbours.
Csr<double> smoothed_prolongation(const BandMatrix& matrix, Csr<double> filtered, double omega,
                                  const Csr<double>& tentative);

}  // namespace spsolve
