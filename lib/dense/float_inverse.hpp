#pragma once

#include <memory>

#include "dense/iterated_inverse.hpp"

namespace spsolve::inline dense {

/// An inverse in float whose solutions will be refined. After the elimination it looks whether its
/// factors are near (see GmresInverse::probe_factors()). Where corrections may be by some steps of
/// them, the first right-hand sides are solved for to the accuracy of double by solve_by_gmres(),
/// as in mixed precision; else all solves are by the factors alone, a step each.
class FloatInverse final : public IteratedInverse {
 public:
  /// `in_float` makes the inverse, and `in_its_range`, unless it is empty, one whose products have
  /// the range of float for where the first finds no finite pivot. A note says so then, and the
  /// second elimination keeps no checkpoints.
  FloatInverse(Make in_float, Make in_its_range);

  std::unique_ptr<Vectors> eliminate(const EliminationRun& run) override;

 private:
  Make in_its_range_;
};

}  // namespace spsolve::dense
