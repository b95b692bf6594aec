#include "krylov/methods/orthonormal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spsolve::inline krylov {

namespace {

/// F, K x s, such that W F has orthonormal columns for a W of K columns with W^T W = G: the columns
/// of largest distance from those before them, as far as that is, squared and relative to their
/// length, at least `least` (Cholesky with diagonal pivoting).
Dense<double> independent_columns(Dense<double> g, double least) {
  const Index columns = g.rows;
  std::vector<double> length(static_cast<std::size_t>(columns));
  for (Index c = 0; c < columns; ++c) {
    length[c] = g(c, c) > 0 && std::isfinite(g(c, c)) ? std::sqrt(g(c, c)) : 0;
  }
  for (Index i = 0; i < columns; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const double both = length[i] * length[j];
      g(i, j) = both > 0 ? g(i, j) / both : 0.0;
    }
  }
  // Column j of `l` is that of L, in the rows of G; `taken` are its pivots.
  Dense<double> l(columns, columns);
  std::vector<double> left(static_cast<std::size_t>(columns));
  for (Index c = 0; c < columns; ++c) left[c] = g(c, c);
  std::vector<Index> taken;
  while (static_cast<Index>(taken.size()) < columns) {
    const Index pivot = std::ranges::max_element(left) - left.begin();
    if (!(left[pivot] >= least)) break;
    const auto step = static_cast<Index>(taken.size());
    const double root = std::sqrt(left[pivot]);
    for (Index i = 0; i < columns; ++i) {
      double value = g(i, pivot);
      for (Index k = 0; k < step; ++k) value -= l(i, k) * l(pivot, k);
      l(i, step) = value / root;
      left[i] -= l(i, step) * l(i, step);
    }
    taken.push_back(pivot);
    left[pivot] = -1;
  }
  // F = D^-1 L^-T in the rows that were taken.
  const auto rank = static_cast<Index>(taken.size());
  Dense<double> f(columns, rank);
  for (Index c = 0; c < rank; ++c) {
    for (Index i = c; i >= 0; --i) {
      double value = i == c ? 1.0 : 0.0;
      for (Index k = i + 1; k <= c; ++k) value -= l(taken[k], i) * f(taken[k], c);
      f(taken[i], c) = value / l(taken[i], i);
    }
  }
  for (Index i = 0; i < rank; ++i) {
    for (Index c = 0; c < rank; ++c) f(taken[i], c) /= length[taken[i]];
  }
  return f;
}

/// W F
std::unique_ptr<Vectors> combination(const Vectors& w, const Dense<double>& f) {
  std::unique_ptr<Vectors> result = w.similar(f.columns);
  result->add_product(0, w, f.values);
  return result;
}

}  // namespace

std::unique_ptr<Vectors> orthonormal(const Vectors& w) {
  constexpr double dependent = 1e-12, again = 0.25;
  const std::unique_ptr<Vectors> once =
      combination(w, independent_columns(products(w, w), dependent));
  return combination(*once, independent_columns(products(*once, *once), again));
}

}  // namespace spsolve::krylov
