#pragma once

#include <memory>
#include <vector>

#include "vectors/products/band_matrix.hpp"

namespace spsolve {

/// Nodes of a matrix' own rows: `size` unknowns that follow each other each, and the neighbours
/// that they are strongly coupled to, by local numbers as BandMatrix has them: own nodes first,
/// then the halo's.
struct NodeGraph {
  Index nodes = 0;  ///< own ones
  std::vector<Index> offsets{0};
  std::vector<LocalIndex> neighbours;  ///< strong ones, the node itself aside
};

/// Whether, on this rank, own rows and the columns they name are whole nodes of `size` unknowns.
/// Not collective.
bool own_are_nodes(const BandMatrix& matrix, Index size);

/// The same on every rank. Collective.
bool are_nodes(const BandMatrix& matrix, Index size);

/// The same matrix with zeros stored, so that all rows of a node name the same whole nodes; bands
/// are of whole nodes. Throws Error(internal) where they are not. Collective.
std::unique_ptr<BandMatrix> with_whole_nodes(const BandMatrix& matrix, Index size);

/// The unknowns of a node that rows of equal columns tell, on all ranks the same: the largest size
/// of 2 to 6 that every band is whole nodes of, and by which every node's rows name whole nodes;
/// else 1. Collective.
Index nodes_of(const BandMatrix& matrix);

/// Own nodes i and j are strongly coupled where ||A_ij||_F^2 > theta^2 ||A_ii||_F ||A_jj||_F, for
/// the blocks of A between their unknowns (Vanek, Mandel and Brezina, 1996); `diagonals` are the
/// ||A_ii||_F of own nodes and then of the halo's. Not collective.
NodeGraph strong_couplings(const BandMatrix& matrix, Index size, double theta,
                           const std::vector<double>& diagonals);

/// ||A_ii||_F of own nodes and of those of the halo. Collective.
std::vector<double> node_diagonals(const BandMatrix& matrix, Index size);

/// A_F of own rows: A without the entries of weak couplings, which are added to the diagonal, so
/// that it does to constants what A does. Columns as those of matrix.local_rows(). Not collective.
Csr<double> filtered_rows(const BandMatrix& matrix, Index size, const NodeGraph& strong);

/// Own nodes in aggregates of neighbours, numbered from 0.
struct Aggregates {
  Index count = 0;
  std::vector<LocalIndex> of_node;  ///< -1: in none, as it has no strong neighbour
};

/// The three passes of Vanek, Mandel and Brezina: a node whose neighbours are all free and these;
/// the rest to the aggregate of a neighbour; what is left with its free neighbours. Aggregates do
/// not reach over the borders of ranks. Serial: linear in nodes and couplings.
Aggregates aggregate(const NodeGraph& strong);

}  // namespace spsolve
