#pragma once

#include <memory>
#include <vector>

#include "krylov/preconditioner/preconditioner.hpp"
#include "matrix/real_form.hpp"
#include "vectors/band_matrix.hpp"
#include "vectors/products/coarsening.hpp"

namespace spsolve::inline krylov {

/// Whether, on this rank, own rows and the columns they name are whole nodes of `size` unknowns.
/// Not collective.
bool own_are_nodes(const BandMatrix& matrix, Index size);

/// Whether own rows and the columns they name are whole nodes on every rank. Collective.
bool are_nodes(const BandMatrix& matrix, Index size);

/// The matrix with zeros stored, so that all rows of a node name the same whole nodes; bands are of
/// whole nodes. Throws Error(internal) where they are not. Collective.
std::unique_ptr<BandMatrix> with_whole_nodes(const BandMatrix& matrix, Index size);

/// The unknowns of a node that rows of equal columns tell, on all ranks the same: the largest size
/// of 2 to 6 that every band is whole nodes of, and by which every node's rows name whole nodes;
/// else 1. `step`: sizes are multiples of it, which is one. Collective.
Index nodes_of(const BandMatrix& matrix, Index step = 1);

/// The numbers of a matrix, which is the real form of them where they are not real.
enum class NodeNumbers {
  real,
  complex,
  turned  ///< of a Hermitian matrix with one a node: the near null space has any phases
};

/// Nodes of `size` unknowns, real and imaginary parts each counted for one.
struct NodeKind {
  NodeKind(Index unknowns, NodeNumbers of = NodeNumbers::real)  // NOLINT: of real ones
      : size(unknowns), numbers(of) {}

  bool pairs() const { return numbers != NodeNumbers::real; }
  /// The rows or columns that one number has.
  Index step() const { return pairs() ? complex_parts : 1; }

  Index size;
  NodeNumbers numbers;
};

/// Strong connections of own nodes, for the blocks A_ij of A between their unknowns and d_i =
/// ||A_ii||_F.
struct NodeConnections {
  /// The nodes that node i depends on: the j with ||A_ij||_F >= 0.1 max_k ||A_ik||_F (Ruge and
  /// Stueben, "Algebraic multigrid", 1987) and ||A_ij||_F > theta (d_i min(d_i, d_j))^1/2. Where
  /// coefficients jump, i may depend on j and j not on i.
  NodeGraph dependences;
  /// The nodes that may share an aggregate with it: those of them with ||A_ij||_F >= 0.1 max_k
  /// ||A_jk||_F and
  /// ||A_ij||_F > theta (d_i d_j)^1/2 (Vanek, Mandel and Brezina, 1996).
  NodeGraph strong;
};

/// Collective: an exchange with neighbours.
NodeConnections connections(const BandMatrix& matrix, Index size, double theta);

/// For own rows and then those of the halo: of row i of the near null space the entry in the column
/// of the unknown's kind, i mod size, where others in the row are no more than rounding compared
/// with it; else 0. Of turned numbers their moduli. Collective.
std::vector<double> lone_entries(const BandMatrix& matrix, const NearNullSpace& near,
                                 NodeNumbers numbers = NodeNumbers::real);

/// Own nodes in no aggregate that depend on others and whose rows are not dominated by their
/// diagonal, so that what is slow to converge must reach them from there: for one unknown of
/// theirs, the sum of |a_ij| over other nodes' of its kind is more than half of |a_ii|. Not
/// collective.
std::vector<bool> led_nodes(const BandMatrix& matrix, const NodeKind& kind,
                            const NodeGraph& dependences, const Aggregates& aggregates);

/// Gives the near null space of a Hermitian matrix, in its real form and of one number a node,
/// phases within each aggregate: those with which a_ij n_j / n_i between its nodes are negative, as
/// nearly as can be, so that A takes n to little there, as a real Laplacian does constants. Between
/// aggregates phases do not matter, nor do those of D^H A D for D of any phases. By a tree of
/// neighbours from its first node, and three sweeps of the sums of a node's neighbours. Own nodes
/// in no aggregate stay as they are. Not collective.
void turn_within_aggregates(const BandMatrix& matrix, const Aggregates& aggregates,
                            NearNullSpace& near);

/// The three passes of Vanek, Mandel and Brezina: a node whose neighbours are all free and these;
/// the rest to the aggregate of a neighbour; what is left with its free neighbours. Aggregates do
/// not reach over the borders of ranks. Serial: linear in nodes and connections.
Aggregates aggregate(const NodeGraph& strong);

}  // namespace spsolve::krylov
