#pragma once

#include <array>
#include <vector>

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
  // Pivots that were raised, in any order; the first ones of them.
  unsigned long long raised = 0;
  std::array<RaisedPivot, most_raised_pivots> list{};
};

PivotCounts counts_of(const PivotTally& tally);
/// By ascending rows; none where there are more than the list has.
std::vector<RaisedPivot> raised_of(const PivotTally& tally);

}  // namespace spsolve::cuda::sparse
