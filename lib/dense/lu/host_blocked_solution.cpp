#include "dense/lu/host_blocked_solution.hpp"

#include <algorithm>

#include "core/blas/blas.hpp"
#include "core/ranges.hpp"
#include "dense/lu/small_lu.hpp"
#include "solve/in_precision.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline dense {

template <typename T>
void HostBlockedSolution<T>::take_order(std::span<const Index> order) {
  order_of_rows_.assign(order.begin(), order.end());
}

template <typename T>
void HostBlockedSolution<T>::solve_whole(bool transposed, const Vectors& b, Vectors& x) {
  const Index columns = b.columns();
  Dense<T> rows = numbers_of<T>(own_rows(b));
  Dense<T> solved(order_, columns);
  for (Index k = 0; k < order_; ++k) {
    std::copy_n(rows.row(transposed ? k : order_of_rows_[k]), columns, solved.row(k));
  }
  if (transposed) {
    solve_whole_transposed(Triangle::upper, solved);
    solve_whole_transposed(Triangle::unit_lower, solved);
  } else {
    blas::solve_unit_lower(order_, columns, a_, stride_, solved.values.data(), columns);
    blas::solve_upper(order_, columns, a_, stride_, solved.values.data(), columns);
  }
  for (Index k = 0; k < order_; ++k) {
    std::copy_n(solved.row(k), columns, rows.row(transposed ? order_of_rows_[k] : k));
  }
  set_own_rows(x, rows_of(rows));
}

/// Rows of the matrix are columns of the transposed triangle: panel after panel, what its rows have
/// solved for gives to the others.
template <typename T>
void HostBlockedSolution<T>::solve_whole_transposed(Triangle triangle, Dense<T>& x) {
  const Index columns = x.columns;
  const std::span<T> all = x.values;
  const bool upper = triangle == Triangle::upper;
  const Index panels = (order_ + max_width_ - 1) / max_width_;
  for (Index k = 0; k < panels; ++k) {
    const Index first = (upper ? k : panels - 1 - k) * max_width_;
    const Range panel{first, std::min(first + max_width_, order_)};
    const Range solved = upper ? Range{0, first} : Range{panel.last, order_};
    const std::span<T> own = all.subspan(first * columns, panel.size() * columns);
    x_.assign(own.size(), T{});
    subtract_transposed(solved, panel, x.row(solved.first), x_.data(), columns);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] += x_[i];
    solve_small_transposed(triangle, panel.size(), a_ + first * stride_ + first, stride_,
                           own.data(), columns);
  }
}

template <typename T>
void HostBlockedSolution<T>::begin(std::span<const T> sums, const SolutionOrder& order,
                                   Index columns) {
  columns_ = columns;
  band_ = order.band;
  places_.assign(order.places.begin(), order.places.end());
  in_panel_.assign(order.in_panel.begin(), order.in_panel.end());
  sums_.assign(sums.begin(), sums.end());
  kept_.resize(static_cast<std::size_t>(band_.size() * columns));
}

template <typename T>
std::span<T> HostBlockedSolution<T>::buffer(Index size) {
  if (buffer_.size() < static_cast<std::size_t>(size)) buffer_.resize(size);
  return {buffer_.data(), static_cast<std::size_t>(size)};
}

template <typename T>
void HostBlockedSolution<T>::pack_sums(Range rows, std::span<T> packed) {
  std::copy_n(sums(rows.first), rows.size() * columns_, packed.begin());
}

template <typename T>
void HostBlockedSolution<T>::solve(Triangle triangle, Range panel, std::span<const T> factors,
                                   std::span<const T> gathered) {
  const Index width = panel.size();
  x_.resize(static_cast<std::size_t>(width * columns_));
  for (Index i = 0; i < width; ++i) {
    std::copy_n(gathered.begin() + places_[panel.first + i] * columns_, columns_,
                x_.begin() + i * columns_);
  }
  if (triangle == Triangle::upper) {
    blas::solve_upper(width, columns_, factors.data(), width, x_.data(), columns_);
  } else {
    blas::solve_unit_lower(width, columns_, factors.data(), width, x_.data(), columns_);
  }
}

template <typename T>
void HostBlockedSolution<T>::subtract_product(Range rows, Range panel) {
  blas::subtract_product(rows.size(), columns_, panel.size(),
                         a_ + rows.first * stride_ + panel.first, stride_, x_.data(), columns_,
                         sums(rows.first), columns_);
}

template <typename T>
void HostBlockedSolution<T>::keep_sums(Range rows) {
  for (Index i = rows.first; i < rows.last; ++i) {
    std::copy_n(x_.data() + in_panel_[i] * columns_, columns_, sums(i));
  }
}

template <typename T>
void HostBlockedSolution<T>::keep_band(Range panel) {
  const Range both = intersect(panel, band_);
  if (both.size() == 0) return;
  std::copy_n(x_.data() + (both.first - panel.first) * columns_, both.size() * columns_,
              kept_.data() + (both.first - band_.first) * columns_);
}

template <typename T>
void HostBlockedSolution<T>::read(std::span<T> band) {
  std::copy_n(kept_.begin(), band.size(), band.begin());
}

template <typename T>
void HostBlockedSolution<T>::subtract_transposed(Range rows, Range panel, const T* x, T* c,
                                                 Index columns) const {
  if (rows.size() == 0) return;
  blas::subtract_transposed_product(panel.size(), columns, rows.size(),
                                    a_ + rows.first * stride_ + panel.first, stride_, x, columns, c,
                                    columns);
}

template <typename T>
void HostBlockedSolution<T>::begin_transposed(std::span<const T> band, const SolutionOrder& order,
                                              Index columns) {
  begin(std::vector<T>(order.in_panel.size() * static_cast<std::size_t>(columns)), order, columns);
  kept_.assign(band.begin(), band.end());
}

template <typename T>
void HostBlockedSolution<T>::pack_band(Range panel, std::span<T> packed) {
  std::ranges::fill(packed, T{});
  const Range both = intersect(panel, band_);
  if (both.size() == 0) return;
  std::copy_n(kept_.data() + (both.first - band_.first) * columns_, both.size() * columns_,
              packed.data() + (both.first - panel.first) * columns_);
}

template <typename T>
void HostBlockedSolution<T>::pack_pivots(Range rows, std::span<T> packed) {
  std::ranges::fill(packed, T{});
  for (Index i = rows.first; i < rows.last; ++i) {
    std::copy_n(sums(i), columns_, packed.data() + in_panel_[i] * columns_);
  }
}

template <typename T>
void HostBlockedSolution<T>::subtract_transposed_product(Range rows, Range panel,
                                                         std::span<T> packed) {
  subtract_transposed(rows, panel, sums(rows.first), packed.data(), columns_);
}

template <typename T>
void HostBlockedSolution<T>::solve_transposed(Triangle triangle, Range panel,
                                              std::span<const T> factors,
                                              std::span<const T> gathered) {
  const Index width = panel.size();
  x_.assign(static_cast<std::size_t>(width * columns_), T{});
  for (std::size_t k = 0; k < gathered.size(); ++k) x_[k % x_.size()] += gathered[k];
  solve_small_transposed(triangle, width, factors.data(), width, x_.data(), columns_);
}

template <typename T>
void HostBlockedSolution<T>::read_sums(std::span<T> sums) {
  std::ranges::copy(sums_, sums.begin());
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class HostBlockedSolution)

}  // namespace spsolve::dense
