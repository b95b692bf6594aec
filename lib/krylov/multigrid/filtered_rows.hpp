#pragma once

#include <vector>

#include "krylov/multigrid/aggregates.hpp"
#include "matrix/made_of_rows.hpp"

namespace spsolve::inline krylov {

/// Appends one row of A_F after the other, for a thread: A without the entries between nodes of
/// which one does not depend on the other, which are added to the diagonal, so that it does to the
/// near null space what A does: a_ij n_j / n_i for the `lone` entries n (lone_entries()), or a_ij
/// where there are none; of turned numbers -|a_ij| n_j / n_i. Rows are of whole nodes; columns as A
/// has them. Of complex numbers it appends rows of real parts alone.
class FilteredRows {
 public:
  FilteredRows(const Csr<double>& rows, const NodeKind& kind, const NodeGraph& dependences,
               const std::vector<double>& lone)
      : rows_(rows), kind_(kind), dependences_(dependences), lone_(lone) {}

  const NodeKind& kind() const { return kind_; }

  void operator()(Index i, RowChunk& chunk) const;

 private:
  const Csr<double>& rows_;
  NodeKind kind_;
  const NodeGraph& dependences_;
  const std::vector<double>& lone_;
};

}  // namespace spsolve::krylov
