#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/scalar.hpp"
#include "sparse/fronts/factorization.hpp"

namespace spsolve::inline sparse {

/// A 2 x 2 block of D, computed with in double: (a . ; b c), mirrored across its diagonal.
template <typename T>
class PivotPair {
 public:
  PivotPair(bool hermitian, T a, T b, T c)
      : is_real_(!is_complex<T> || hermitian),
        a_(on_diagonal(hermitian, a)),
        b_(b),
        c_(on_diagonal(hermitian, c)),
        across_(mirrored(hermitian, b_)),
        determinant_(a_ * c_ - b_ * across_) {}

  double determinant_size() const { return magnitude(determinant_); }
  bool is_regular() const { return is_finite(determinant_) && determinant_ != Wide<T>(0); }

  /// (x, y) D^-1: entries of L from those of L D.
  std::pair<T, T> divide(T x, T y) const {
    const Wide<T> first = x, second = y;
    return {static_cast<T>((first * c_ - second * b_) / determinant_),
            static_cast<T>((second * a_ - first * across_) / determinant_)};
  }

  /// Counts the magnitudes of its eigenvalues, and as negative those that are, of a real or
  /// Hermitian one.
  void count(PivotCounts& counts) const {
    const Wide<T> half = (a_ + c_) / 2.0;
    double large = 0;
    if (is_real_) {
      const double middle = real_part(half), difference = real_part(a_ - c_) / 2;
      large = std::abs(middle) + std::hypot(difference, magnitude(b_));
      const double determinant = real_part(determinant_);
      counts.negative += determinant < 0 ? 1 : (middle < 0 ? 2 : 0);
    } else {
      using std::sqrt;
      const Wide<T> root = sqrt((a_ - c_) * (a_ - c_) / 4.0 + b_ * b_);
      large = std::max(magnitude(half + root), magnitude(half - root));
    }
    counts.include(large);
    counts.include(magnitude(determinant_) / large);
    ++counts.pairs;
  }

 private:
  bool is_real_;  // are its eigenvalues
  Wide<T> a_, b_, c_, across_, determinant_;
};

}  // namespace spsolve::sparse
