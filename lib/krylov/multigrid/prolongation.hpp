#pragma once

#include <vector>

#include "krylov/multigrid/aggregates.hpp"
#include "krylov/preconditioner/preconditioner.hpp"

namespace spsolve::inline krylov {

/// An interpolation from aggregates that takes their near null space to that of a matrix.
struct Tentative {
  Csr<double> rows;          ///< P_0 of own rows, columns global coarse ones
  Dense<double> null_space;  ///< the coarse unknowns' part of it: own coarse rows x m
  RowLayout coarse;          ///< m unknowns for each aggregate, rank after rank
};

/// P_0 with orthonormal columns and P_0 B_c = B for the near null space B of a matrix, own rows x
/// m: the parts of B in every aggregate orthogonalised by Gram-Schmidt's way, twice; columns that
/// depend on others there are zero. Collective: an all-gather
/// of the numbers of aggregates.
Tentative tentative_prolongation(const BandMatrix& matrix, const Aggregates& aggregates,
                                 const NearNullSpace& near);

/// Gives rows of P_0 to the `led` nodes, which are in no aggregate: what solves their rows of A for
/// the unknowns of their own kind, of nodes that they depend on and that are in aggregates,
///   (P_0)_i = sum_j w_ij (P_0)_j,  w_ij = -a_ij n_i / (sum_k -a_ik n_k),
/// for the lone entries n of the near null space (lone_entries()), or n = 1, and the a_ij that are
/// negative; as interpolation is made where coefficients jump (Ruge and Stueben, "Algebraic
/// multigrid", 1987). Of complex a_ij the real parts count, and of turned ones w_ij is
/// -a_ij n_i / (sum_k |a_ik| n_k). Collective: rows of P_0 from neighbours.
void interpolate_led_nodes(const BandMatrix& matrix, const NodeKind& kind,
                           const NodeGraph& dependences, const std::vector<bool>& led,
                           const std::vector<double>& lone, Tentative& tentative);

/// P = (I - omega D_F^-1 A_F) P_0 for the rows of FilteredRows and their diagonal D_F. Collective:
/// rows of P_0 from neighbours.
Csr<double> smoothed_prolongation(const BandMatrix& matrix, const NodeKind& kind,
                                  const NodeGraph& dependences, const std::vector<double>& lone,
                                  double omega, const Tentative& tentative);

}  // namespace spsolve::krylov
