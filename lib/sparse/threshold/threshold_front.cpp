#include "sparse/threshold/threshold_front.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/blas/column_blas.hpp"
#include "sparse/fronts/pivot_pair.hpp"

namespace spsolve::inline sparse {

using namespace column_blas;

namespace {

constexpr Index panel_width = 32;
constexpr Index columns_of_piece = 128;
constexpr double threshold = 0.1, symmetric_threshold = 0.01;

/// The row of the largest magnitude in begin ... end but for `skip`; -1 where all are zero.
template <typename T>
Index largest(const std::vector<T>& column, Index begin, Index end, Index skip = -1) {
  Index best = -1;
  Real<T> most = 0;
  for (Index i = begin; i < end; ++i) {
    if (i != skip && pivot_size(column[i]) > most) {
      most = pivot_size(column[i]);
      best = i;
    }
  }
  return best;
}

template <typename T>
double size_of(const std::vector<T>& column, Index i) {
  return i < 0 ? 0 : static_cast<double>(pivot_size(column[i]));
}

}  // namespace

template <typename T>
ThresholdFront<T>::ThresholdFront(Index n, Index candidates, Factorization kind, double tiny)
    : n_(n),
      candidates_(candidates),
      symmetric_(kind != Factorization::lu),
      hermitian_(is_hermitian(kind)),
      tiny_(tiny),
      f_(static_cast<std::size_t>(n * n), T(0)),
      products_(static_cast<std::size_t>(symmetric_ ? n * panel_width : 0)),
      column_(static_cast<std::size_t>(n)),
      second_(static_cast<std::size_t>(n)) {
  if (symmetric_) off_diagonal_.assign(static_cast<std::size_t>(candidates), T(0));
}

template <typename T>
void ThresholdFront<T>::eliminate(const Tiles& tiles, PivotCounts& counts) {
  while (done_ < candidates_) {
    const Index first = done_;
    for (Index j = first; j < candidates_ && done_ - first + 1 < panel_width;) {
      const Index before = done_;
      if (symmetric_ ? take_symmetric(first, j, counts) : take(first, j, counts)) {
        j = std::max(j + (done_ - before), done_);
      } else {
        ++j;
      }
    }
    if (done_ == first) return;
    update(first, tiles);
  }
}

template <typename T>
void ThresholdFront<T>::swap_rows(Index i, Index j) {
  if (i == j) return;
  for (Index k = 0; k < n_; ++k) std::swap(at(i, k), at(j, k));
  std::swap(rows[i], rows[j]);
}

template <typename T>
void ThresholdFront<T>::swap_columns(Index i, Index j) {
  if (i == j) return;
  std::swap_ranges(&at(0, i), &at(0, i) + n_, &at(0, j));
  std::swap(columns[i], columns[j]);
}

template <typename T>
void ThresholdFront<T>::swap_both(Index first, Index i, Index j) {
  if (i == j) return;
  swap_rows(i, j);
  swap_columns(i, j);
  for (Index k = 0; k < done_ - first; ++k) {
    std::swap(products_[i + k * n_], products_[j + k * n_]);
  }
}

template <typename T>
void ThresholdFront<T>::refresh(Index first, Index j, std::vector<T>& column) {
  std::copy_n(&at(0, j), n_, column.data());
  const Index w = done_ - first;
  if (w == 0) return;
  if (symmetric_) {
    std::vector<T> row(static_cast<std::size_t>(w));
    for (Index k = 0; k < w; ++k) row[k] = mirrored(hermitian_, at(j, first + k));
    multiply_vector<T>(CblasNoTrans, n_ - done_, w, -1, products_.data() + done_, n_, row.data(), 1,
                       column.data() + done_);
  } else {
    solve_triangle_vector(unit_lower, w, &at(first, first), n_, column.data() + first);
    multiply_vector<T>(CblasNoTrans, n_ - done_, w, -1, &at(done_, first), n_,
                       column.data() + first, 1, column.data() + done_);
  }
}

template <typename T>
bool ThresholdFront<T>::take(Index first, Index j, PivotCounts& counts) {
  refresh(first, j, column_);
  Index best = largest(column_, done_, candidates_);
  const double most =
      std::max(size_of(column_, best), size_of(column_, largest(column_, candidates_, n_)));
  if (best < 0 || !std::isfinite(most) || size_of(column_, best) < threshold * most ||
      size_of(column_, best) < tiny_) {
    return false;
  }
  if (size_of(column_, j) >= threshold * most && size_of(column_, j) >= tiny_) best = j;
  if (best != j) ++counts.swaps;
  std::copy_n(column_.data(), n_, &at(0, j));
  swap_columns(j, done_);
  swap_rows(best, done_);
  const T pivot = at(done_, done_);
  counts.include(magnitude(pivot));
  for (Index i = done_ + 1; i < n_; ++i) at(i, done_) /= pivot;
  ++done_;
  return true;
}

template <typename T>
bool ThresholdFront<T>::take_symmetric(Index first, Index j, PivotCounts& counts) {
  refresh(first, j, column_);
  const Index other = largest(column_, done_, candidates_, j);
  const double most =
      std::max(size_of(column_, other), size_of(column_, largest(column_, candidates_, n_)));
  const double diagonal = size_of(column_, j);
  if (diagonal >= tiny_ && diagonal > 0 && diagonal >= symmetric_threshold * most) {
    swap_both(first, j, done_);
    std::swap(column_[j], column_[done_]);
    take_one(first, counts);
    return true;
  }
  if (other < 0 || done_ - first + 2 > panel_width) return false;
  refresh(first, other, second_);
  const PivotPair<T> pair(hermitian_, column_[j], column_[other], second_[other]);
  const double a = pivot_size(column_[j]), b = pivot_size(column_[other]),
               c = pivot_size(second_[other]);
  double first_most = 0, second_most = 0;
  for (Index i = done_; i < n_; ++i) {
    if (i == j || i == other) continue;
    first_most = std::max(first_most, static_cast<double>(pivot_size(column_[i])));
    second_most = std::max(second_most, static_cast<double>(pivot_size(second_[i])));
  }
  const double size = pair.determinant_size(), limit = size / symmetric_threshold;
  if (!(size > 0) || b < tiny_ || c * first_most + b * second_most > limit ||
      b * first_most + a * second_most > limit) {
    return false;
  }
  // The pair moves to the next two places; `other` may be where j goes first.
  swap_both(first, j, done_);
  std::swap(column_[j], column_[done_]);
  std::swap(second_[j], second_[done_]);
  const Index now = other == done_ ? j : other;
  swap_both(first, now, done_ + 1);
  std::swap(column_[now], column_[done_ + 1]);
  std::swap(second_[now], second_[done_ + 1]);
  ++counts.swaps;
  take_pair(first, counts);
  return true;
}

template <typename T>
void ThresholdFront<T>::take_one(Index first, PivotCounts& counts) {
  const T d = column_[done_] = on_diagonal(hermitian_, column_[done_]);
  counts.include(magnitude(d));
  if (real_part(d) < 0) ++counts.negative;
  T* product = products_.data() + (done_ - first) * n_;
  std::copy_n(column_.data(), n_, product);
  for (Index i = done_; i < n_; ++i) at(i, done_) = i == done_ ? d : column_[i] / d;
  ++done_;
}

template <typename T>
void ThresholdFront<T>::take_pair(Index first, PivotCounts& counts) {
  const Index k = done_;
  const T a = column_[k] = on_diagonal(hermitian_, column_[k]), b = column_[k + 1];
  const T c = second_[k + 1] = on_diagonal(hermitian_, second_[k + 1]);
  const PivotPair<T> pair(hermitian_, a, b, c);
  pair.count(counts);
  T* product = products_.data() + (k - first) * n_;
  std::copy_n(column_.data(), n_, product);
  std::copy_n(second_.data(), n_, product + n_);
  for (Index i = k + 2; i < n_; ++i) {
    std::tie(at(i, k), at(i, k + 1)) = pair.divide(column_[i], second_[i]);
  }
  at(k, k) = a;
  at(k + 1, k) = T(0);
  at(k + 1, k + 1) = c;
  off_diagonal_[k] = b;
  done_ += 2;
}

template <typename T>
void ThresholdFront<T>::update(Index first, const Tiles& tiles) {
  const Index w = done_ - first;
  tiles.run_pieces(done_, n_, columns_of_piece, [&](Index from, Index to) {
    if (symmetric_) {
      multiply_transposed<T>(n_ - done_, to - from, w, -1, products_.data() + done_, n_,
                             &at(from, first), n_, 1, &at(done_, from), n_,
                             hermitian_ ? CblasConjTrans : CblasTrans);
    } else {
      solve_triangle(CblasLeft, unit_lower, w, to - from, &at(first, first), n_, &at(first, from),
                     n_);
      column_blas::multiply<T>(CblasNoTrans, n_ - done_, to - from, w, -1, &at(done_, first), n_,
                               &at(first, from), n_, 1, &at(done_, from), n_);
    }
  });
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class ThresholdFront)

}  // namespace spsolve::sparse
