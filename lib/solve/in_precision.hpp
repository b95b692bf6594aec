#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/over_blocks.hpp"
#include "core/scalar.hpp"
#include "matrix/real_form.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline solve {

/// For each column of x the e with its largest entry between 2^(e - 1) and 2^e: what columns are
/// solved for in float without, as a small residual would underflow. Collective.
inline std::vector<int> column_exponents(const Vectors& x) {
  std::vector<int> exponents;
  for (const double largest : maxima(x)) std::frexp(largest, &exponents.emplace_back());
  return exponents;
}

/// The numbers of these rows in T; of a complex one, whose parts are rows in turn, half as many
/// rows.
template <typename T>
Dense<T> numbers_of(const Dense<double>& rows) {
  constexpr Index parts = is_complex<T> ? complex_parts : 1;
  Dense<T> numbers(rows.rows / parts, rows.columns);
  if constexpr (is_complex<T>) {
    const bool many = std::ssize(rows.values) > worthwhile_elements;
#pragma omp parallel for schedule(static) if (many)
    for (Index i = 0; i < numbers.rows; ++i) {
      for (Index c = 0; c < rows.columns; ++c) {
        numbers(i, c) =
            T(static_cast<Real<T>>(rows(2 * i, c)), static_cast<Real<T>>(rows(2 * i + 1, c)));
      }
    }
  } else {
    std::copy(rows.values.begin(), rows.values.end(), numbers.values.begin());
  }
  return numbers;
}

/// The way back.
template <typename T>
Dense<double> rows_of(const Dense<T>& numbers) {
  constexpr Index parts = is_complex<T> ? complex_parts : 1;
  Dense<double> rows(parts * numbers.rows, numbers.columns);
  if constexpr (is_complex<T>) {
    const bool many = std::ssize(rows.values) > worthwhile_elements;
#pragma omp parallel for schedule(static) if (many)
    for (Index i = 0; i < numbers.rows; ++i) {
      for (Index c = 0; c < rows.columns; ++c) {
        rows(2 * i, c) = numbers(i, c).real();
        rows(2 * i + 1, c) = numbers(i, c).imag();
      }
    }
  } else {
    std::copy(numbers.values.begin(), numbers.values.end(), rows.values.begin());
  }
  return rows;
}

/// x <- what solve(from, x) makes of b, `from` being b or x itself, where vectors lie. Where T is
/// of float, columns are solved for with their largest entry near 1.
template <typename T, typename Solve>
void solve_in_place_in(const Vectors& b, Vectors& x, const Solve& solve) {
  if constexpr (std::is_same_v<Real<T>, double>) {
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
/// puts its results into x; for a complex T, b and x are those of the real form.
template <typename T, typename Solve>
void solve_in(const Vectors& b, Vectors& x, const Solve& solve) {
  solve_in_place_in<T>(b, x, [&](const Vectors& from, Vectors& to) {
    Dense<double> rows = own_rows(from);
    if constexpr (std::is_same_v<T, double>) {
      solve(rows);
    } else {
      Dense<T> numbers = numbers_of<T>(rows);
      solve(numbers);
      rows = rows_of(numbers);
    }
    set_own_rows(to, rows);
  });
}

}  // namespace spsolve::solve
