#pragma once

#include "matrix/pattern.hpp"
#include "solve/inverse.hpp"
#include "sparse/analysis/analysis.hpp"

namespace spsolve::inline sparse {

// The figures of an analysis that reports show.

/// The fronts by level of the elimination tree; of complex numbers with flops of real ones.
FrontLevels front_levels(const SparseAnalysis& analysis, bool complex);

/// The part of an elimination's outcome that its analysis decides, but for the levels.
SparseOutcome outcome_of(const SparseAnalysis& analysis, bool complex);

/// The matrix that was analysed in the order of its elimination, see pattern_of().
Pattern pattern_in_order(const Csr<double>& matrix, const SparseAnalysis& analysis);

/// Where the analysis.factor_entries entries of its factors lie in that order: of L, and of U where
/// there is one, zeros inside of fronts included. Cost: a pass over the rows of all borders.
Pattern factor_pattern(const SparseAnalysis& analysis, Index most_cells = 96);

}  // namespace spsolve::sparse
