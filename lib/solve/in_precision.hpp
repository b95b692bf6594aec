#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline solve {

/// For each column of x the e with its largest entry between 2^(e - 1) and 2^e: what columns are
/// solved for in float without, as a small residual would underflow. Collective.
inline std::vector<int> column_exponents(const Vectors& x) {
  std::vector<int> exponents;
  for (const double largest : maxima(x)) std::frexp(largest, &exponents.emplace_back());
  return exponents;
}

/// x <- what solve(from, x) makes of b, `from` being b or x itself, where vectors lie. Where T is
/// float, columns are solved for with their largest entry near 1.
template <typename T, typename Solve>
void solve_in_place_in(const Vectors& b, Vectors& x, const Solve& solve) {
  if constexpr (std::is_same_v<T, double>) {
    solve(b, x);
  } else {
    std::vector<double> down, up;
    for (const int any : column_exponents(b)) {
      // An exponent for which 2^exponent and its inverse are numbers.
      const int exponent = std::clamp(any, -1022, 1022);
      down.push_back(std::ldexp(1.0, -exponent));
      up.push_back(std::ldexp(1.0, exponent));
    }
    if (&b != &x) copy(b, x);
    x.scale_columns(down);
    solve(x, x);
    x.scale_columns(up);
  }
}

/// x <- the solution for b in host memory: calls solve(rows) with own rows in T, a Dense<T>, and
/// puts its results into x.
template <typename T, typename Solve>
void solve_in(const Vectors& b, Vectors& x, const Solve& solve) {
  solve_in_place_in<T>(b, x, [&](const Vectors& from, Vectors& to) {
    Dense<double> rows = own_rows(from);
    if constexpr (std::is_same_v<T, double>) {
      solve(rows);
    } else {
      Dense<T> reduced(rows.rows, rows.columns);
      std::copy(rows.values.begin(), rows.values.end(), reduced.values.begin());
      solve(reduced);
      rows = Dense<double>(reduced.rows, reduced.columns);
      std::copy(reduced.values.begin(), reduced.values.end(), rows.values.begin());
    }
    set_own_rows(to, rows);
  });
}

}  // namespace spsolve::solve
