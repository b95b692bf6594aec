#pragma once

#include <span>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline multiply {

/// How far a product Y is from a reference R, both of A X in T.
struct ProductErrors {
  double largest = 0;   ///< max |y - r| / max(|y|, |r|) over the elements; 0 where y = r
  double mean = 0;      ///< the mean of the same
  double scaled = 0;    ///< max |y - r| / (|A| |X|), which cancellation in a sum does not blow up
  double bound = 0;     ///< (longest row + 2) u: `scaled` stays below, whatever the order of sums
  double roundoff = 0;  ///< u, the unit round-off of T: 2^-53 or 2^-24
  /// 2 u, the machine epsilon: what Capotombolo and Zarrelli (2023) call the unit round-off,
  /// 2.22e-16 in double.
  double epsilon = 0;

  bool within_bound() const { return scaled <= bound; }
};

/// Where the square block of rows lies whose lower triangle multiplies for both.
struct MirroredBlock {
  Index first = 0;                          ///< row 0 is this row of the whole matrix
  std::span<const Index> global_columns{};  ///< ascending; empty: columns are those of the matrix

  Index column(Index local) const {
    return global_columns.empty() ? local : global_columns[static_cast<std::size_t>(local)];
  }
};

/// The errors of `y` against `reference`, both a.rows x k row-major, for X = `x` of a.columns x k.
/// A nan or an infinity that only one of the two holds is an infinite error.
/// Cost: that of one product, in parallel; |A| |X| is not stored.
///
/// `mirrored`: y is by a kernel that takes a_ij, i > j, for a_ji as well, of the rows' square
/// block, which is symmetric but for rounding. The bound then has room for the largest of sum_j
/// |a_ij - a_ji| |x_j| / (|A| |X|)_i over the a_ij above its diagonal; stored: as many numbers as Y
/// has.
template <typename T>
ProductErrors compare_products(const Csr<T>& a, const T* x, const T* reference, const T* y, Index k,
                               const MirroredBlock* mirrored = nullptr);

}  // namespace spsolve::multiply
