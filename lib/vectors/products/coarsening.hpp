#pragma once

#include <memory>
#include <vector>

#include "core/types.hpp"
#include "core/untouched_vector.hpp"
#include "matrix/dense.hpp"

namespace spsolve::inline vectors {

class BandMatrix;

/// The unknowns of a node that is looked for, or coarsened elsewhere than on hosts: six motions of
/// a rigid body.
inline constexpr Index most_unknowns_of_node = 6;

/// Nodes of a matrix' own rows: unknowns that follow each other, as many each, and the neighbours
/// that they are strongly connected to, by local numbers as BandMatrix has them: own nodes first,
/// then the halo's.
struct NodeGraph {
  Index nodes = 0;  ///< own ones
  UntouchedVector<Index> offsets{0};
  UntouchedVector<LocalIndex> neighbours;  ///< strong ones, the node itself aside
};

/// Own nodes in aggregates of neighbours, numbered from 0.
struct Aggregates {
  Index count = 0;
  std::vector<LocalIndex> of_node;  ///< -1: in none, as it has no strong neighbour
};

/// A coarser matrix by smoothed aggregation, and the way to it.
struct CoarseMatrix {
  std::unique_ptr<BandMatrix> interpolation;  ///< P
  std::unique_ptr<BandMatrix> restriction;    ///< P^T
  std::unique_ptr<BandMatrix> matrix;         ///< P^T A P
  Dense<double> near;                         ///< own coarse unknowns' near null space
};

/// Makes coarser matrices in the memory of a matrix' products, as Hierarchy says. All numbers are
/// those that krylov/multigrid has on hosts, but for rounding, and have the same bits each time.
/// Aggregates, connections, near null spaces and messages between ranks go through host memory.
/// Collective; throws Error(resources) on every rank where that memory is short on one.
class Coarsening {
 public:
  virtual ~Coarsening() = default;

  /// Finds what each node depends on, which the object keeps, and hands back what may share an
  /// aggregate with it; see connections().
  virtual NodeGraph find_strong_connections(const BandMatrix& matrix, double theta) = 0;

  /// Keeps the nodes' aggregates, and which nodes in none are to be interpolated all the same, see
  /// led_nodes().
  virtual void take_aggregates(const BandMatrix& matrix, const Aggregates& aggregates) = 0;

  /// The coarser matrix for the connections and aggregates that were kept, the near null space of
  /// own rows, and P = (I - omega D_F^-1 A_F) P_0; see interpolate_led_nodes() and
  /// smoothed_prolongation().
  virtual CoarseMatrix coarsen(const BandMatrix& matrix, const Dense<double>& near,
                               double omega) = 0;
};

}  // namespace spsolve::vectors
