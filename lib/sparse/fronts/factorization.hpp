#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace spsolve {

/// How a sparse matrix is factored.
enum class Factorization {
  cholesky,  ///< L L^T
  ldlt,      ///< L D L^T, D of 1 x 1 and 2 x 2 blocks
  lu,        ///< P L U
};

/// What the pivots of fronts come to.
struct PivotCounts {
  Index perturbed = 0;               ///< pivots that were too small and made larger
  Index swaps = 0;                   ///< pivots off the diagonal
  Index negative = 0;                ///< of D, for the inertia
  Index pairs = 0;                   ///< 2 x 2 blocks of D
  double smallest = 0, largest = 0;  ///< magnitudes of pivots; 0 where there are none
  double largest_multiplier = 0;     ///< max |l_ij|, of LU and LDL^T
  /// The first pivot, by its position in the front, that no factorisation of this kind can go on
  /// from: not positive for Cholesky, or not a number; -1 for none.
  Index failed = -1;

  void include(double magnitude) {
    smallest = largest == 0 ? magnitude : std::min(smallest, magnitude);
    largest = std::max(largest, magnitude);
  }
  void add(const PivotCounts& other);
};

/// What a pivot must come to.
struct PivotRule {
  double least = 0;  ///< smaller ones are made this large, and counted
};

}  // namespace spsolve
