#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "vectors/vectors.hpp"

namespace spsolve {

/// For each column of x the e with its largest entry between 2^(e - 1) and 2^e: what columns are
/// solved for in float without, as a small residual would underflow. Collective.
inline std::vector<int> column_exponents(const Vectors& x) {
  std::vector<int> exponents;
  for (const double largest : maxima(x)) std::frexp(largest, &exponents.emplace_back());
  return exponents;
}

/// Calls solve(rows) with own rows of x in T, a Dense<T>, and puts what becomes of them into
/// `result`. Where T is float, columns are solved for with their largest entry near 1.
template <typename T, typename Solve>
void solve_in(const Vectors& x, Vectors& result, const Solve& solve) {
  Dense<double> rows = own_rows(x);
  if constexpr (std::is_same_v<T, double>) {
    solve(rows);
  } else {
    const std::vector<int> exponents = column_exponents(x);
    Dense<T> reduced(rows.rows, rows.columns);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index c = 0; c < rows.columns; ++c) {
        reduced(i, c) = static_cast<T>(std::ldexp(rows(i, c), -exponents[c]));
      }
    }
    solve(reduced);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index c = 0; c < rows.columns; ++c) {
        rows(i, c) = std::ldexp(static_cast<double>(reduced(i, c)), exponents[c]);
      }
    }
  }
  set_own_rows(result, rows);
}

/// The same for vectors where they lie: calls solve(from, x), which may be one and the same.
template <typename T, typename Solve>
void solve_in_place_in(const Vectors& b, Vectors& x, const Solve& solve) {
  if constexpr (std::is_same_v<T, double>) {
    solve(b, x);
  } else {
    std::vector<double> down, up;
    for (const int any : column_exponents(b)) {
      // What 2^exponent and its inverse are numbers for.
      const int exponent = std::clamp(any, -1022, 1022);
      down.push_back(std::ldexp(1.0, -exponent));
      up.push_back(std::ldexp(1.0, exponent));
    }
    copy(b, x);
    x.scale_columns(down);
    solve(x, x);
    x.scale_columns(up);
  }
}

}  // namespace spsolve
