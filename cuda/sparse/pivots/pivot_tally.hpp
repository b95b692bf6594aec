#pragma once

#include <cstdint>

#include "sparse/fronts/factorization.hpp"

namespace spsolve::cuda::inline sparse {

/// The counts of the pivots of all fronts, as a GPU makes them: sums and extremes of whole numbers,
/// which are the same in any order. Magnitudes are bits of doubles, which have the same order.
struct PivotTally {
  unsigned long long perturbed = 0, swaps = 0, negative = 0, pairs = 0;
  unsigned long long smallest = 0x7ff0000000000000ull;  // infinity
  unsigned long long largest = 0;
  unsigned long long largest_multiplier = 0;
  unsigned long long failed = ~0ull;  // the first position that the elimination can't go on from
};

PivotCounts counts_of(const PivotTally& tally);

}  // namespace spsolve::cuda::sparse
