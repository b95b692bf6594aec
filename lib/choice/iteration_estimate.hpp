#pragma once

#include "matrix/csr.hpp"
#include "matrix/shape.hpp"
#include "matrix/symmetry.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline choice {

/// A Krylov method that `auto` takes at once, as it is predicted to be done before an analysis and
/// the elimination after it would be.
struct IterationEstimate {
  Method method = Method::automatic;  ///< cg or bicgstab; automatic: none
  Index steps = 0;                    ///< after which it is given up
  double seconds = 0;                 ///< predicted, estimates included where they are wanted
  bool negative = false;              ///< cg is for -A, whose diagonal is positive
  Preconditioner preconditioner = Preconditioner::automatic;

  bool made() const { return method != Method::automatic; }
};

/// Looks at a square matrix that has not been analysed: how fast probe_diagonal() converges tells
/// how many steps a better preconditioner will take, and how wide the graph of A is what dissection
/// would come to. Only matrices whose rows have about as many non-zeros, as many as in three
/// dimensions, are worth a trial, and graphs with hubs: all others are analysed soon. A matrix that
/// looks elliptic is reckoned with multigrid, where it is large enough and has no hubs; of graphs
/// with hubs the diagonal alone is the preconditioner of cg. `systems` of one pattern are expected:
/// solids are iterated for one alone, graphs with hubs for as many as pay. `estimates`: whether the
/// condition will be estimated. The figures that it reckons with are in host_tuning. Cost: eight
/// products, often three.
IterationEstimate estimate_iteration(const Csr<double>& matrix, const SymmetryFacts& facts,
                                     bool estimates, int threads, Index systems = 1);

/// Whether the graph of a square matrix has many neighbours a row and hubs, as those of social
/// networks and of the web: a good part of the non-zeros are in rows of twice as many as the mean.
/// Elimination ends in a dense block of a fifth of the rows, and levels of multigrid fill, but the
/// diagonal alone is often a good preconditioner.
bool has_hubs(const Csr<double>& matrix);

/// The estimate of an iteration on a GPU for a matrix that multigrid suits, as an analysis on the
/// host takes most of an elimination's time there: from gpu_tuning.least_order_for_iteration rows
/// on.
IterationEstimate estimate_iteration_on_gpu(const MatrixShape& shape, bool estimates);

/// Predicted seconds of cg with multigrid on so many GPUs, estimates of the condition included
/// where they are wanted.
double seconds_of_multigrid_on_gpus(const MatrixShape& shape, int gpus, bool estimates);

/// Whether nearly all rows of A, or of -A for the sign -1, are diagonally dominant, and the
/// diagonal of all is positive.
bool looks_elliptic(const Csr<double>& matrix, double sign = 1);

/// The rows of the widest level of a breadth-first search through the rows of a square matrix, from
/// one that is far from the first one: some n^(1/2) of a plane mesh, n^(2/3) of a solid one.
Index width_of_graph(const Csr<double>& matrix);

}  // namespace spsolve::choice
