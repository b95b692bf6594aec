#pragma once

#include <cmath>
#include <vector>

namespace spsolve::inline vectors {

/// A number for each column of a multivector.
using Columns = std::vector<double>;

/// a_c / b_c for the columns that `wanted(c)` names, 0 for others.
template <typename Wanted>
Columns quotients(const Columns& a, const Columns& b, const Wanted& wanted) {
  Columns result(a.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (wanted(c)) result[c] = a[c] / b[c];
  }
  return result;
}

inline Columns negated(Columns a) {
  for (double& value : a) value = -value;
  return a;
}

}  // namespace spsolve::vectors
