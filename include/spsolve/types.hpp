#pragma once

#include <cstdint>

namespace spsolve {

/// Dimensions, non-zero counts, row offsets and global indices.
using Index = std::int64_t;

/// Column indices inside one band. Whoever fills them checks that they fit.
using LocalIndex = std::int32_t;

/// Half-open range of rows or columns [first, last).
struct Range {
  Index first = 0;
  Index last = 0;

  constexpr Index size() const { return last - first; }
  constexpr bool contains(Index i) const { return first <= i && i < last; }
  bool operator==(const Range&) const = default;
};

/// The type that a matrix is multiplied or eliminated in; solutions and residuals are always
/// double. Mixed: eliminated in float, solved to the backward error of double by GMRES, and
/// eliminated in double where that fails.
enum class Precision { float32, float64, mixed };

/// The entries of a matrix that are not stored.
enum class Symmetry {
  general,         ///< none: every non-zero is stored
  symmetric,       ///< a_ji = a_ij, one triangle stored
  skew_symmetric,  ///< a_ji = -a_ij, one triangle stored, no diagonal
  hermitian,       ///< a_ji = conj(a_ij), one triangle stored, a real diagonal
};

/// The parts of a solve with factors: with L of L L^T, L D L^T or P L U, with D, and with L^T or U.
enum class Substitution { forward, diagonal, backward };

/// Unit round-off of double precision in the sense of the literature, 2^-53.
inline constexpr double unit_roundoff = 1.1102230246251565e-16;

}  // namespace spsolve
