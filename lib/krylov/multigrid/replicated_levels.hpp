#pragma once

#include <memory>

#include "krylov/multigrid/hierarchy.hpp"

namespace spsolve::inline krylov {

/// The coarse levels of a hierarchy over ranks that every rank has whole and works through for
/// itself: their rows are so few that messages would take longer. A cycle costs one all-gather of
/// b in the place of a message for each product.
class ReplicatedLevels {
 public:
  /// `matrix`, the finest of them, in bands of the ranks, and its near null space become those of a
  /// hierarchy of each rank. Collective.
  ReplicatedLevels(const BandMatrix& matrix, ComputeDevice& memory, bool symmetric,
                   const Hierarchy::Options& options, const NearNullSpace& near);

  /// New values of the matrix' pattern. Collective.
  void renew(const BandMatrix& matrix, const NearNullSpace& near);

  /// x <- M^-1 b by a cycle of that hierarchy. Collective.
  void apply(const Vectors& b, Vectors& x);

  /// The levels of that hierarchy, see Hierarchy.
  std::vector<GridLevel> levels() const { return hierarchy_->levels(); }

 private:
  SoloTeam alone_;
  std::unique_ptr<BandMatrix> matrix_;  // all rows
  std::unique_ptr<BandMatrix> own_;     // the rows of the identity that are this rank's
  std::unique_ptr<Hierarchy> hierarchy_;
  std::unique_ptr<Vectors> b_, x_;  // whole
};

}  // namespace spsolve::krylov
