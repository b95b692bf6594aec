#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "core/scalar.hpp"
#include "vectors/multivector/parts.hpp"

namespace spsolve::inline vectors {

/// A number for each column of a multivector, of the field that is computed in.
template <typename F>
using ColumnsOf = std::vector<F>;
using Columns = ColumnsOf<double>;

/// a_c / b_c for the columns that `wanted(c)` names, 0 for others.
template <typename F, typename Wanted>
ColumnsOf<F> quotients(const std::vector<F>& a, const std::vector<F>& b, const Wanted& wanted) {
  ColumnsOf<F> result(a.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (wanted(c)) result[c] = a[c] / b[c];
  }
  return result;
}

/// Whether a column that `wanted(c)` names has zero, or nothing finite, to divide by.
template <typename F, typename Wanted>
bool any_unusable(const std::vector<F>& divisors, const Wanted& wanted) {
  for (std::size_t c = 0; c < divisors.size(); ++c) {
    if (wanted(c) && !(std::abs(divisors[c]) > 0 && is_finite(divisors[c]))) return true;
  }
  return false;
}

template <typename F>
ColumnsOf<F> negated(std::vector<F> a) {
  for (F& value : a) value = -value;
  return a;
}

}  // namespace spsolve::vectors
