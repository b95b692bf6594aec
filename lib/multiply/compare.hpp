#pragma once

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

/// The errors of `y` against `reference`, both a.rows x k row-major, for X = `x` of a.columns x k.
/// A nan or an infinity that only one of the two holds is an infinite error.
/// Cost: that of one product, in parallel; |A| |X| is not stored.
template <typename T>
ProductErrors compare_products(const Csr<T>& a, const T* x, const T* reference, const T* y,
                               Index k);

}  // namespace spsolve::multiply
