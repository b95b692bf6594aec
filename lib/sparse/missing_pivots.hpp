#pragma once

#include "solve/inverse.hpp"
#include "sparse/analysis/analysis.hpp"
#include "sparse/threshold/threshold.hpp"

namespace spsolve::inline sparse {

/// Throws Error(not_trustworthy) on every rank: `missing` pivots of a matrix, each of `parts` rows
/// of the system's, were not found, with the rows and columns that are left, which rank 0 knows:
/// others pass null. Tells `facts` of them. Collective.
[[noreturn]] void refuse_singular(Team& team, const SparseAnalysis* analysis,
                                  const ThresholdOutcome* found, Index missing, Index parts,
                                  InverseFacts& facts);

}  // namespace spsolve::sparse
