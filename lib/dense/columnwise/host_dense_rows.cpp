#include "dense/columnwise/host_dense_rows.hpp"

#include <algorithm>

#include "core/extremes.hpp"
#include "core/ranges.hpp"
#include "core/tuning.hpp"
#include "core/worth_threads.hpp"

namespace spsolve::inline dense {

namespace {

/// y_j <- y_j - m x_j for count values.
template <typename T>
void subtract_multiple(T* __restrict y, T m, const T* __restrict x, Index count) {
#pragma omp simd
  for (Index j = 0; j < count; ++j) y[j] -= m * x[j];
}

}  // namespace

template <typename T>
std::int64_t HostDenseRows<T>::bytes(Index rows, Index order) {
  return (rows * padded_stride<T>(order) + 2 * order) * static_cast<std::int64_t>(sizeof(T));
}

template <typename T>
HostDenseRows<T>::HostDenseRows(const ScaledRows& sparse, Index first_row)
    : rows_{first_row, first_row + sparse.rows.rows / rows_of_row<T>},
      order_(sparse.rows.columns / rows_of_row<T>),
      stride_(padded_stride<T>(order_)),
      values_(rows_.size() * stride_) {
  for (auto& buffer : buffers_) buffer.resize(order_);
  fill_dense_rows(sparse, values_.data(), stride_);
}

template <typename T>
void HostDenseRows<T>::carry(std::span<const T> right_hand_sides, Index columns) {
  carried_.assign(right_hand_sides.begin(), right_hand_sides.end());
  carried_columns_ = columns;
  for (auto& buffer : buffers_) buffer.resize(static_cast<std::size_t>(width()));
}

template <typename T>
void HostDenseRows<T>::release_carried(std::span<T> right_hand_sides) {
  std::ranges::copy(carried_, right_hand_sides.begin());
  carry({}, 0);
}

template <typename T>
void HostDenseRows<T>::repeat_step(Index k) {
  const T* const pivot_row = buffers_[0].data() + order_;
  const int threads =
      threads_worth(rows_.size() * carried_columns_, host_tuning.parallel_elimination);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = rows_.first; i < rows_.last; ++i) {
    const T multiplier = row(i)[k];
    if (i == k || multiplier == T{}) continue;
    subtract_multiple(carried_row(i), multiplier, pivot_row, carried_columns_);
  }
}

template <typename T>
PivotCandidate HostDenseRows<T>::find_pivot(Range rows, Range columns) const {
  PivotCandidate best;
  const int threads = threads_worth(rows.size() * columns.size(), host_tuning.parallel_elimination);
#pragma omp parallel num_threads(threads)
  {
    PivotCandidate mine;
#pragma omp for schedule(static) nowait
    for (Index i = rows.first; i < rows.last; ++i) {
      for (Index j = columns.first; j < columns.last; ++j) {
        const double size = infinite_if_nan(pivot_size(row(i)[j]));
        if (size > mine.magnitude) mine = {size, i, j};
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
void HostDenseRows<T>::load_row(Index i, Range columns, int buffer) {
  const Range own = intersect(columns, {0, order_}), more = intersect(columns, {order_, width()});
  T* const to = buffers_[buffer].data();
  if (own.size() > 0) std::copy_n(row(i) + own.first, own.size(), to + own.first);
  if (more.size() > 0) {
    std::copy_n(carried_row(i) + more.first - order_, more.size(), to + more.first);
  }
}

template <typename T>
void HostDenseRows<T>::store_row(Index i, Range columns, int buffer) {
  const Range own = intersect(columns, {0, order_}), more = intersect(columns, {order_, width()});
  const T* const from = buffers_[buffer].data();
  if (own.size() > 0) std::copy_n(from + own.first, own.size(), row(i) + own.first);
  if (more.size() > 0) {
    std::copy_n(from + more.first, more.size(), carried_row(i) + more.first - order_);
  }
}

template <typename T>
void HostDenseRows<T>::read_rows(Range rows, std::span<T> values) const {
  for (Index i = rows.first; i < rows.last; ++i) {
    std::copy_n(row(i), order_, values.data() + (i - rows.first) * order_);
  }
}

template <typename T>
void HostDenseRows<T>::write_rows(Range rows, std::span<const T> values) {
  for (Index i = rows.first; i < rows.last; ++i) {
    std::copy_n(values.data() + (i - rows.first) * order_, order_, row(i));
  }
}

template <typename T>
void HostDenseRows<T>::swap_rows(Index a, Index b) {
  std::swap_ranges(row(a), row(a) + order_, row(b));
  std::swap_ranges(carried_row(a), carried_row(a) + carried_columns_, carried_row(b));
}

template <typename T>
void HostDenseRows<T>::swap_columns(Index a, Index b) {
  for (Index i = rows_.first; i < rows_.last; ++i) std::swap(row(i)[a], row(i)[b]);
}

template <typename T>
void HostDenseRows<T>::eliminate(Index k, Range rows) {
  const T* pivot_row = buffers_[0].data();
  const T pivot = pivot_row[k];
  const Index behind = order_ - k - 1;
  const int threads =
      threads_worth(rows.size() * (behind + carried_columns_), host_tuning.parallel_elimination);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = rows.first; i < rows.last; ++i) {
    T* a = row(i);
    // A zero stays a zero without touching the row: most of a sparse matrix's first columns.
    if (a[k] == T{}) continue;
    const T multiplier = a[k] / pivot;
    a[k] = multiplier;
    subtract_multiple(a + k + 1, multiplier, pivot_row + k + 1, behind);
    subtract_multiple(carried_row(i), multiplier, pivot_row + order_, carried_columns_);
  }
}

template <typename T>
void HostDenseRows<T>::apply_block(BlockOperation operation, std::span<T> x, Index columns) const {
  // Every right-hand side column depends on itself only; rows follow one another.
  const Index count = rows_.size();
  const auto x_row = [&](Index i) { return x.data() + i * columns; };
  const auto block_row = [&](Index i) { return row(rows_.first + i) + rows_.first; };
  const auto subtract = [&](Index to, T m, Index from) {
    if (m != T{}) subtract_multiple(x_row(to), m, x_row(from), columns);
  };
  const auto divide = [&](Index i) {
    for (Index c = 0; c < columns; ++c) x_row(i)[c] /= block_row(i)[i];
  };
  switch (operation) {
    case BlockOperation::solve_unit_lower:
      for (Index i = 0; i < count; ++i)
        for (Index k = 0; k < i; ++k) subtract(i, block_row(i)[k], k);
      break;
    case BlockOperation::solve_upper:
      for (Index i = count; i-- > 0;) {
        for (Index k = i + 1; k < count; ++k) subtract(i, block_row(i)[k], k);
        divide(i);
      }
      break;
    case BlockOperation::jordan_upper:
      for (Index i = 0; i < count; ++i)
        for (Index k = i + 1; k < count; ++k) subtract(i, block_row(i)[k], k);
      break;
    case BlockOperation::solve_unit_lower_transposed:
      for (Index i = count; i-- > 0;)
        for (Index k = 0; k < i; ++k) subtract(k, block_row(i)[k], i);
      break;
    case BlockOperation::solve_upper_transposed:
      for (Index i = 0; i < count; ++i) {
        divide(i);
        for (Index k = i + 1; k < count; ++k) subtract(k, block_row(i)[k], i);
      }
      break;
    case BlockOperation::jordan_upper_transposed:
      // From the last row, so that x_i is taken before rows above give to it.
      for (Index i = count; i-- > 0;)
        for (Index k = i + 1; k < count; ++k) subtract(k, block_row(i)[k], i);
      break;
  }
}

template <typename T>
void HostDenseRows<T>::subtract_product(Range block, std::span<const T> x, std::span<T> y,
                                        Index columns) const {
  const int threads = threads_worth(rows_.size() * block.size(), host_tuning.parallel_elimination);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = rows_.first; i < rows_.last; ++i) {
    T* target = y.data() + (i - rows_.first) * columns;
    for (Index k = 0; k < block.size(); ++k) {
      if (const T m = row(i)[block.first + k]; m != T{}) {
        subtract_multiple(target, m, x.data() + k * columns, columns);
      }
    }
  }
}

template <typename T>
void HostDenseRows<T>::subtract_transposed_product(Range block, std::span<const T> x,
                                                   std::span<T> c, Index columns) const {
  // A thread takes some columns of the block at a time, and all rows, one after another.
  constexpr Index at_once = 64;
  const Index shares = (block.size() + at_once - 1) / at_once;
  const int threads = threads_worth(rows_.size() * block.size(), host_tuning.parallel_elimination);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index share = 0; share < shares; ++share) {
    const Index last = std::min((share + 1) * at_once, block.size());
    for (Index i = 0; i < rows_.size(); ++i) {
      const T* const a = row(rows_.first + i) + block.first;
      for (Index k = share * at_once; k < last; ++k) {
        if (a[k] != T{}) {
          subtract_multiple(c.data() + k * columns, a[k], x.data() + i * columns, columns);
        }
      }
    }
  }
}

template <typename T>
void HostDenseRows<T>::divide_by_diagonal(std::span<T> x, Index columns) const {
  for (Index i = rows_.first; i < rows_.last; ++i) {
    T* const target = x.data() + (i - rows_.first) * columns;
    for (Index c = 0; c < columns; ++c) target[c] /= row(i)[i];
  }
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class HostDenseRows)

}  // namespace spsolve::dense
