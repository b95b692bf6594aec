#pragma once

#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline sparse {

/// A matching of the rows and columns of a square matrix A = (a_ij), n x n, by its non-zeros, with
/// scale factors R = diag(r_i), C = diag(c_j) that show its product to be the largest.
struct MaximumProductMatching {
  /// Structural rank of A: how many rows and columns are matched by non-zeros.
  LocalIndex rank = 0;
  /// Row row_of_column[j] goes with column j; always a permutation: columns that are not matched
  /// get the rows that are not, i where column i needs one and row i is left, then in ascending
  /// order.
  std::vector<LocalIndex> row_of_column;
  /// Powers of two r_i and c_j, such that scaling rounds nothing. Rounded to them (in logarithms,
  /// to the nearest) are factors with |r_i a_ij c_j| <= 1, and = 1 on the matching: with those that
  /// are handed back it is at most 2, and 1/2 to 2 on the matching. Take it as a_ij (r_i c_j), as
  /// a_ij r_i alone may overflow. Where a factor would lie outside of 2^-1000 ... 2^1000 even with
  /// r and c balanced, it is the nearer one of these, and larger entries remain.
  std::vector<double> rows, columns;
  /// (log2 r_i + log2 c_i) / 2 before rounding: of a symmetric A 2^w_i |a_ij| 2^w_j is at most 1,
  /// and 1 on the matching.
  std::vector<double> symmetric;
  /// Rows and columns that are not matched, ascending, n - rank of each; empty where A is
  /// structurally nonsingular.
  std::vector<LocalIndex> unmatched_rows, unmatched_columns;
};

/// A matching of the largest number of rows and columns whose product of |a_ij| is the largest of
/// all matchings of the same rows and columns (of all there are, where A is structurally
/// nonsingular). The diagonal is handed back wherever no other product is larger by more than
/// round-off. Zeros that are stored are no entries; nan and infinite values must not occur.
///
/// Method: shortest augmenting paths for the costs -log2 |a_ij| (Duff and Koster 1999, 2001), as
/// Assignment has it.
/// Cost: some passes over A where its diagonal or the first assignment serves, else in the worst
/// case n searches of all of A; measured, 10 to 20 passes for random matrices with 5 entries a row.
/// 16 bytes for every entry and 64 for every row while it runs. Logarithms are taken in threads,
/// paths are found by one; the result is the same for every number of threads.
/// Throws Error(internal) where A is not square.
MaximumProductMatching maximum_product_matching(const Csr<double>& matrix);

/// A maximum matching of the pattern alone, as if all non-zeros were 1: any matching of the largest
/// number. Cost: likewise, and a copy of A.
MaximumProductMatching maximum_matching(const Csr<double>& matrix);

}  // namespace spsolve::sparse
