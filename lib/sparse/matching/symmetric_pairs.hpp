#pragma once

#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "sparse/matching/matching.hpp"

namespace spsolve::inline sparse {

/// Rows of a symmetric matrix A = (a_ij) two by two, as they are likely to be 2 x 2 pivots, the
/// others alone; with scale factors.
struct SymmetricPairs {
  std::vector<LocalIndex> mate;  ///< of each row: the other one of its pair, or itself
  LocalIndex count = 0;          ///< pairs
  /// Powers of two s_i: |s_i a_ij s_j| <= 1 but for round-off, and more than 1/4 where row i is
  /// matched with column j.
  std::vector<double> scale;
};

/// The pairs of a matching of the rows and columns of A: its permutation's cycles, cut into matched
/// entries (Duff and Pralet 2005; Schenk and Gaertner 2006). A cycle of one row leaves it alone;
/// one of an even number is cut in the one of two ways whose smallest 2 x 2 determinant is the
/// larger, for A scaled; one of an odd number leaves the row alone whose diagonal entry is the
/// largest then. What nothing was matched with stays alone. Cost: a look at some entries of each
/// row, and memory of a few numbers a row.
SymmetricPairs symmetric_pairs(const Csr<double>& matrix, const MaximumProductMatching& matching);

}  // namespace spsolve::sparse
