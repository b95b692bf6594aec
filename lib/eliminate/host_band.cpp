#include "eliminate/host_band.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spsolve {

namespace {

/// |value|, or infinity for a nan, so that a comparison never hides one.
template <typename T>
double magnitude_of(T value) {
  const double magnitude = std::abs(static_cast<double>(value));
  return std::isnan(magnitude) ? std::numeric_limits<double>::infinity() : magnitude;
}

/// y_j <- y_j - m x_j for count values.
template <typename T>
void subtract_multiple(T* __restrict y, T m, const T* __restrict x, Index count) {
#pragma omp simd
  for (Index j = 0; j < count; ++j) y[j] -= m * x[j];
}

/// Work below which a parallel region costs more than it saves, in multiply-adds.
constexpr Index parallel_threshold = 20000;

}  // namespace

template <typename T>
std::int64_t HostBand<T>::bytes(Index rows, Index order) {
  return (rows * padded_stride<T>(order) + 2 * order) * static_cast<std::int64_t>(sizeof(T));
}

template <typename T>
HostBand<T>::HostBand(const Csr<double>& sparse, Index first_row)
    : rows_{first_row, first_row + sparse.rows},
      order_(sparse.columns),
      stride_(padded_stride<T>(order_)),
      values_(sparse.rows * stride_) {
  for (auto& buffer : buffers_) buffer.resize(order_);
  fill_dense_rows(sparse, values_.data(), stride_);
}

template <typename T>
PivotCandidate HostBand<T>::find_pivot(Range rows, Range columns) const {
  PivotCandidate best;
  const bool parallel = rows.size() * columns.size() > parallel_threshold;
#pragma omp parallel if (parallel)
  {
    PivotCandidate mine;
#pragma omp for schedule(static) nowait
    for (Index i = rows.first; i < rows.last; ++i) {
      for (Index j = columns.first; j < columns.last; ++j) {
        const double magnitude = magnitude_of(row(i)[j]);
        if (magnitude > mine.magnitude) mine = {magnitude, i, j};
      }
    }
#pragma omp critical(spsolve_find_pivot)
    if (mine.magnitude > best.magnitude ||
        (mine.magnitude == best.magnitude && mine.row >= 0 && mine.row < best.row)) {
      best = mine;
    }
  }
  return best;
}

template <typename T>
void HostBand<T>::load_row(Index i, Range columns, int buffer) {
  std::copy_n(row(i) + columns.first, columns.size(), buffers_[buffer].data() + columns.first);
}

template <typename T>
void HostBand<T>::store_row(Index i, Range columns, int buffer) {
  std::copy_n(buffers_[buffer].data() + columns.first, columns.size(), row(i) + columns.first);
}

template <typename T>
void HostBand<T>::read_rows(Range rows, std::span<T> values) const {
  for (Index i = rows.first; i < rows.last; ++i) {
    std::copy_n(row(i), order_, values.data() + (i - rows.first) * order_);
  }
}

template <typename T>
void HostBand<T>::write_rows(Range rows, std::span<const T> values) {
  for (Index i = rows.first; i < rows.last; ++i) {
    std::copy_n(values.data() + (i - rows.first) * order_, order_, row(i));
  }
}

template <typename T>
void HostBand<T>::swap_rows(Index a, Index b) {
  std::swap_ranges(row(a), row(a) + order_, row(b));
}

template <typename T>
void HostBand<T>::swap_columns(Index a, Index b) {
  for (Index i = rows_.first; i < rows_.last; ++i) std::swap(row(i)[a], row(i)[b]);
}

template <typename T>
void HostBand<T>::eliminate(Index k, Range rows) {
  const T* pivot_row = buffers_[0].data();
  const T pivot = pivot_row[k];
  const Index width = order_ - k - 1;
#pragma omp parallel for schedule(static) if (rows.size() * width > parallel_threshold)
  for (Index i = rows.first; i < rows.last; ++i) {
    T* a = row(i);
    // A zero stays a zero without touching the row: most of a sparse matrix's first columns.
    if (a[k] == T{}) continue;
    const T multiplier = a[k] / pivot;
    a[k] = multiplier;
    subtract_multiple(a + k + 1, multiplier, pivot_row + k + 1, width);
  }
}

template <typename T>
void HostBand<T>::apply_block(BlockOperation operation, Range block, std::span<T> x,
                              Index columns) const {
  // Every right-hand side column depends on itself only; rows follow one another.
  const auto x_row = [&](Index i) { return x.data() + i * columns; };
  const auto subtract = [&](Index i, Index k) {
    if (const T m = row(i)[k]; m != T{}) subtract_multiple(x_row(i), m, x_row(k), columns);
  };
  switch (operation) {
    case BlockOperation::solve_unit_lower:
      for (Index i = block.first; i < block.last; ++i)
        for (Index k = block.first; k < i; ++k) subtract(i, k);
      break;
    case BlockOperation::solve_upper:
      for (Index i = block.last; i-- > block.first;) {
        for (Index k = i + 1; k < block.last; ++k) subtract(i, k);
        for (Index c = 0; c < columns; ++c) x_row(i)[c] /= row(i)[i];
      }
      break;
    case BlockOperation::jordan_upper:
      for (Index i = block.first; i < block.last; ++i)
        for (Index k = i + 1; k < block.last; ++k) subtract(i, k);
      break;
  }
}

template <typename T>
void HostBand<T>::subtract_product(Range rows, Range block, std::span<const T> x, std::span<T> y,
                                   Index columns) const {
#pragma omp parallel for schedule(static) if (rows.size() * block.size() > parallel_threshold)
  for (Index i = rows.first; i < rows.last; ++i) {
    T* target = y.data() + i * columns;
    for (Index k = block.first; k < block.last; ++k) {
      if (const T m = row(i)[k]; m != T{}) {
        subtract_multiple(target, m, x.data() + k * columns, columns);
      }
    }
  }
}

template <typename T>
void HostBand<T>::divide_by_diagonal(std::span<T> x, Index columns) const {
  for (Index i = rows_.first; i < rows_.last; ++i) {
    for (Index c = 0; c < columns; ++c) x[i * columns + c] /= row(i)[i];
  }
}

template class HostBand<float>;
template class HostBand<double>;

}  // namespace spsolve
