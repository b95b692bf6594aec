#include "cuda/sparse/pivots/pivot_tally.hpp"

#include <algorithm>
#include <bit>

namespace spsolve::cuda::inline sparse {

PivotCounts counts_of(const PivotTally& tally) {
  PivotCounts counts;
  counts.perturbed = static_cast<Index>(tally.perturbed);
  counts.swaps = static_cast<Index>(tally.swaps);
  counts.negative = static_cast<Index>(tally.negative);
  counts.pairs = static_cast<Index>(tally.pairs);
  counts.largest = std::bit_cast<double>(tally.largest);
  counts.smallest = counts.largest > 0 ? std::bit_cast<double>(tally.smallest) : 0;
  counts.largest_multiplier = std::bit_cast<double>(tally.largest_multiplier);
  counts.failed = tally.failed == ~0ull ? -1 : static_cast<Index>(tally.failed);
  return counts;
}

std::vector<RaisedPivot> raised_of(const PivotTally& tally) {
  if (tally.raised > tally.list.size()) return {};
  std::vector<RaisedPivot> raised(tally.list.begin(), tally.list.begin() + tally.raised);
  std::ranges::sort(raised, {}, &RaisedPivot::row);
  return raised;
}

}  // namespace spsolve::cuda::sparse
