#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <string_view>

#include "core/types.hpp"

namespace spsolve::inline sparse {

/// How a sparse matrix is factored.
enum class Factorization {
  cholesky,  ///< L L^H
  ldlt,      ///< L D L^T of A = A^T, D of 1 x 1 and 2 x 2 blocks
  lu,        ///< P L U
  ldlh,      ///< L D L^H of A = A^H, D likewise
};

constexpr std::string_view name(Factorization kind) {
  constexpr std::string_view words[] = {"LL^T", "LDL^T", "LU", "LDL^H"};
  return words[static_cast<int>(kind)];
}

/// Whether there is a D.
constexpr bool has_d(Factorization kind) {
  return kind == Factorization::ldlt || kind == Factorization::ldlh;
}

/// Whether L^H is the other factor, and A = A^H.
constexpr bool is_hermitian(Factorization kind) {
  return kind == Factorization::cholesky || kind == Factorization::ldlh;
}

/// An entry on the diagonal of a matrix: without its imaginary part where the matrix is Hermitian,
/// as what rounding leaves of that would grow from pivot to pivot.
template <typename T>
constexpr T on_diagonal(bool hermitian, const T& z) {
  return is_complex<T> && hermitian ? T(real_part(z)) : z;
}

/// Counts of the pivots of fronts.
struct PivotCounts {
  Index perturbed = 0;               ///< pivots that were too small and made larger
  Index swaps = 0;                   ///< pivots off the diagonal
  Index negative = 0;                ///< of D, for the inertia
  Index pairs = 0;                   ///< 2 x 2 blocks of D
  double smallest = 0, largest = 0;  ///< magnitudes of pivots; 0 where there are none
  double largest_multiplier = 0;     ///< max pivot_size(l_ij), of LU and LDL^T
  /// The first pivot, by its position in the front, that no factorisation of this kind can go on
  /// from: not positive for Cholesky, or not a number; -1 for none.
  Index failed = -1;

  void include(double magnitude) {
    smallest = largest == 0 ? magnitude : std::min(smallest, magnitude);
    largest = std::max(largest, magnitude);
  }
  void add(const PivotCounts& other);
};

/// Whom an elimination tells how far it is: flops of each front that is done, and of parts of large
/// ones while they are under way, which the front is then told without. Called by any thread.
struct Advance {
  Advance() = default;
  /// Hears of fronts alone.
  template <std::invocable<double> Front>
  Advance(Front tell) : front(std::move(tell)) {}

  std::function<void(double)> front, part;

  /// A front is done, of which so much was not told yet.
  void operator()(double flops) const {
    if (front) front(flops);
  }
};

/// How pivots are taken.
struct PivotRule {
  double least = 0;        ///< smaller ones are made this large, and counted
  bool hermitian = false;  ///< L D L^H is wanted, not L D L^T
  /// Smaller ones than `least` are made this large, where it is larger, and listed.
  double raised = 0;

  double made() const { return std::max(least, raised); }
};

/// A pivot of L D L^T that was too small: `by` was added to it.
struct RaisedPivot {
  Index row = 0;  ///< a place of the order of elimination
  double by = 0;
};

/// So many of them are listed at most.
inline constexpr int most_raised_pivots = 64;

}  // namespace spsolve::sparse
