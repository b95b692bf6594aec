#pragma once

#include <memory>

#include "solve/operators/system_matrix.hpp"
#include "vectors/band_matrix.hpp"

namespace spsolve::inline krylov {

/// A matrix some of whose rows, B, hold their diagonal alone, as programs write boundary conditions
/// into it, with entries in the columns of B that have no mirror. With I for the others
///
///     A = S + E,  S = [D 0; 0 A_II],  E = [0 0; A_IB 0],  E S^-1 E = 0
///
/// so that A^-1 = S^-1 (1 - E S^-1) and A^-T = (1 - S^-1 E^T) S^-1, where S may be symmetric.
class BoundaryRows {
 public:
  /// Null where `matrix` has no such rows. Collective.
  static std::unique_ptr<BoundaryRows> of(SystemMatrix& matrix);

  BandMatrix& inside() { return *inside_; }  ///< S

  /// b <- (1 - E S^-1) b. Collective, as the next two.
  void move_to_right(Vectors& b) const;
  /// x <- (1 - S^-1 E^T) x
  void take_back(Vectors& x) const;
  /// x_B <- D^-1 b_B, without the rounding of an iteration
  void fix(const Vectors& b, Vectors& x) const;

 private:
  explicit BoundaryRows(SystemMatrix& matrix) : matrix_(matrix) {}

  /// D^-1 b_B, zero elsewhere.
  std::unique_ptr<Vectors> of_boundary(const Vectors& b) const;

  SystemMatrix& matrix_;
  std::unique_ptr<BandMatrix> inside_;
  std::unique_ptr<Vectors> inverses_;  // of D on B, else 0
  std::unique_ptr<Vectors> others_;    // 0 on B, else 1
};

}  // namespace spsolve::krylov
