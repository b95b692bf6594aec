#include "eliminate/host_blocked_band.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "eliminate/lapack_panel.hpp"
#include "eliminate/small_lu.hpp"

namespace spsolve {

namespace {

/// Columns of swapped rows that one thread takes at a time.
constexpr Index swap_columns = 512;

}  // namespace

template <typename T>
std::int64_t HostBlockedBand<T>::bytes(Index height, Index order, Index max_width, int ranks) {
  const Index of_team = max_width * (2 * order + (1 + 2 * ranks) * max_width);
  const Index elements =
      height * padded_stride<T>(order) + height * max_width + (ranks == 1 ? 0 : of_team);
  return elements * static_cast<std::int64_t>(sizeof(T));
}

template <typename T>
HostBlockedBand<T>::HostBlockedBand(const Csr<double>& sparse, Index max_width, bool alone)
    : height_(sparse.rows),
      order_(sparse.columns),
      max_width_(max_width),
      alone_(alone),
      stride_(padded_stride<T>(order_)),
      values_(height_ * stride_),
      scratch_(height_ * max_width),
      block_(alone ? 0 : max_width * order_),
      travel_(alone ? 0 : max_width * order_),
      solution_(values_.data(), stride_) {
  fill_dense_rows(sparse, values_.data(), stride_);
}

template <typename T>
typename BlockedBand<T>::PanelOutcome HostBlockedBand<T>::factor_panel(Range panel,
                                                                       Pivoting pivoting,
                                                                       std::span<Index> swaps) {
  const bool in_order = pivoting == Pivoting::none;
  const Index bad =
      in_order ? factor_without_pivoting(panel, swaps) : factor_with_pivoting(panel, swaps);
  return {bad < 0 ? -1 : panel.first + bad, false};
}

template <typename T>
Index HostBlockedBand<T>::factor_without_pivoting(Range panel, std::span<Index> swaps) {
  const Index width = panel.size();
  std::vector<T> factors(static_cast<std::size_t>(width * width));
  for (Index i = 0; i < width; ++i) {
    std::copy_n(row(panel.first + i) + panel.first, width, factors.data() + i * width);
    swaps[i] = panel.first + i;
  }
  factor_small<T>(width, width, factors, false, {});
  set_factors(panel, factors);
  form_multipliers(panel.last, panel);
  for (Index i = 0; i < width; ++i) {
    std::copy_n(factors.data() + i * width, width, row(panel.first + i) + panel.first);
  }
  return bad_pivot(factors.data(), width + 1, width);
}

template <typename T>
Index HostBlockedBand<T>::factor_with_pivoting(Range panel, std::span<Index> swaps) {
  std::vector<int> local(static_cast<std::size_t>(panel.size()));
  const Index bad =
      factor_panel_by_lapack(row(panel.first) + panel.first, stride_, height_ - panel.first,
                             panel.size(), scratch_.data(), std::span<int>(local));
  for (Index i = 0; i < panel.size(); ++i) swaps[i] = panel.first + local[i];
  return bad;
}

template <typename T>
void HostBlockedBand<T>::follow_swaps(Range panel, std::span<const Index> swaps, Range piece) {
  // Threads share the columns; a share of them lies on one side of the panel.
  const auto shares = [](Range columns) {
    return (columns.size() + swap_columns - 1) / swap_columns;
  };
  const Range left{0, piece.last == order_ ? panel.first : 0};
#pragma omp parallel for schedule(static)
  for (Index share = 0; share < shares(left) + shares(piece); ++share) {
    const bool before = share < shares(left);
    const Range side = before ? left : piece;
    const Index first = side.first + (before ? share : share - shares(left)) * swap_columns;
    const Index last = std::min(first + swap_columns, side.last);
    for (Index i = 0; i < panel.size(); ++i) {
      T* target = row(panel.first + i);
      if (swaps[i] != panel.first + i) {
        std::swap_ranges(target + first, target + last, row(swaps[i]) + first);
      }
    }
  }
}

template <typename T>
std::span<T> HostBlockedBand<T>::candidate_buffer(Index size) {
  if (static_cast<Index>(candidates_.size()) < size) {
    candidates_.resize(static_cast<std::size_t>(size));
  }
  return std::span(candidates_).first(static_cast<std::size_t>(size));
}

template <typename T>
void HostBlockedBand<T>::factor_stack(Index width, std::span<const T> candidates,
                                      std::span<const Index> counts, std::span<Index> order) {
  std::vector<T>& stack = factors_;
  stack.clear();
  stack.reserve(order.size() * static_cast<std::size_t>(width));
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const T* const first = candidates.data() + static_cast<Index>(rank) * width * width;
    stack.insert(stack.end(), first, first + counts[rank] * width);
  }
  factor_small<T>(static_cast<Index>(order.size()), width, stack, true, order);
  stack.resize(static_cast<std::size_t>(width * width));
}

template <typename T>
void HostBlockedBand<T>::set_factors(Range, std::span<const T> factors) {
  factors_.assign(factors.begin(), factors.end());
}

template <typename T>
std::vector<Index> HostBlockedBand<T>::elect(Index first_active, Range panel, std::span<T> values) {
  const Index rows = height_ - first_active;
  const Index width = panel.size();
  const Index offered = std::min(rows, width);
  if (offered == 0) return {};
  copy_panel(row(first_active) + panel.first, stride_, rows, width, scratch_.data());
  std::vector<int> swaps(static_cast<std::size_t>(offered));
  blas::factor_columns(rows, width, scratch_.data(), rows, swaps.data());
  std::vector<Index> order = rows_in_front<int>(first_active, rows, swaps);
  for (Index i = 0; i < offered; ++i) {
    std::copy_n(row(order[i]) + panel.first, width, values.data() + i * width);
  }
  return order;
}

template <typename T>
void HostBlockedBand<T>::retire(Index first_active, Range, std::span<const Index> chosen) {
  Index place = first_active;
  for (const Index other : swaps_to_front(first_active, chosen)) {
    if (other != place) std::swap_ranges(row(place), row(place) + order_, row(other));
    ++place;
  }
}

template <typename T>
double HostBlockedBand<T>::form_multipliers(Index first_active, Range panel) {
  const Index rows = height_ - first_active;
  const Index width = panel.size();
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(row(first_active + i) + panel.first, width, scratch_.data() + i * width);
  }
  blas::solve_upper_from_right(rows, width, factors_.data(), width, row(first_active) + panel.first,
                               stride_);
  return largest_in({first_active, height_}, panel);
}

template <typename T>
void HostBlockedBand<T>::withdraw_multipliers(Index first_active, Range panel) {
  const Index width = panel.size();
#pragma omp parallel for schedule(static)
  for (Index i = first_active; i < height_; ++i) {
    std::copy_n(scratch_.data() + (i - first_active) * width, width, row(i) + panel.first);
  }
}

template <typename T>
std::span<T> HostBlockedBand<T>::row_buffer(Range piece) {
  return {travel_.data(), static_cast<std::size_t>(alone_ ? 0 : max_width_ * piece.size())};
}

template <typename T>
void HostBlockedBand<T>::pack_rows(Index first, Index count, Range piece, std::span<T> packed) {
  for (Index i = 0; i < count; ++i) {
    std::copy_n(row(first + i) + piece.first, piece.size(), packed.data() + i * piece.size());
  }
}

template <typename T>
Index HostBlockedBand<T>::pivot_stride(Range panel) const {
  return alone_ ? stride_ : order_ - panel.first;
}

template <typename T>
T* HostBlockedBand<T>::pivot_block(Range panel, Index column) {
  return alone_ ? row(panel.first) + column : block_.data() + (column - panel.first);
}

template <typename T>
void HostBlockedBand<T>::set_pivot_block(Range panel, Range piece, std::span<const Index> order) {
  const Index width = panel.size();
  const Index stride = pivot_stride(panel);
  const bool first = piece.first == panel.last;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < width; ++i) {
    if (first) {
      std::copy_n(factors_.data() + i * width, width, pivot_block(panel, panel.first) + i * stride);
    }
    std::copy_n(travel_.data() + order[i] * piece.size(), piece.size(),
                pivot_block(panel, piece.first) + i * stride);
  }
}

template <typename T>
void HostBlockedBand<T>::keep_pivot_rows(Range panel, Range piece, std::span<const Index> order,
                                         Index first) {
  const Range columns{piece.first == panel.last ? panel.first : piece.first, piece.last};
  for (const Index i : order) {
    std::copy_n(pivot_block(panel, columns.first) + i * pivot_stride(panel), columns.size(),
                row(first++) + columns.first);
  }
}

template <typename T>
void HostBlockedBand<T>::solve_pivot_rows(Range panel, Range columns) {
  const Index stride = pivot_stride(panel);
  blas::solve_unit_lower(panel.size(), columns.size(), pivot_block(panel, panel.first), stride,
                         pivot_block(panel, columns.first), stride);
}

template <typename T>
void HostBlockedBand<T>::update(Index first_active, Range panel, Range columns) {
  blas::subtract_product(height_ - first_active, columns.size(), panel.size(),
                         row(first_active) + panel.first, stride_,
                         pivot_block(panel, columns.first), pivot_stride(panel),
                         row(first_active) + columns.first, stride_);
}

template <typename T>
std::vector<T> HostBlockedBand<T>::panel_values(Range rows, Range panel) const {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(rows.size() * panel.size()));
  for (Index i = rows.first; i < rows.last; ++i) {
    values.insert(values.end(), row(i) + panel.first, row(i) + panel.last);
  }
  return values;
}

template <typename T>
void HostBlockedBand<T>::write_rows(Index first, Index count, std::span<const T> values) {
  for (Index i = 0; i < count; ++i) {
    std::copy_n(values.data() + i * order_, order_, row(first + i));
  }
}

template <typename T>
double HostBlockedBand<T>::largest_in(Range rows, Range columns) const {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (Index i = rows.first; i < rows.last; ++i) {
    largest = std::max(largest, largest_of(row(i) + columns.first, columns.size()));
  }
  return largest;
}

template <typename T>
double HostBlockedBand<T>::largest_upper() const {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (Index i = 0; i < height_; ++i) {
    largest = std::max(largest, largest_of(row(i) + i, order_ - i));
  }
  return largest;
}

template <typename T>
std::vector<T> HostBlockedBand<T>::diagonal() const {
  std::vector<T> values;
  for (Index i = 0; i < std::min(height_, order_); ++i) values.push_back(row(i)[i]);
  return values;
}

template <typename T>
void HostBlockedBand<T>::solve_unit_lower(std::span<T> x, Index columns) const {
  blas::solve_unit_lower(order_, columns, values_.data(), stride_, x.data(), columns);
}

template <typename T>
void HostBlockedBand<T>::solve_upper(std::span<T> x, Index columns) const {
  blas::solve_upper(order_, columns, values_.data(), stride_, x.data(), columns);
}

template <typename T>
void HostBlockedBand<T>::subtract_transposed_product(Range rows, Range panel, std::span<const T> x,
                                                     std::span<T> c, Index columns) const {
  if (rows.size() == 0) return;
  blas::subtract_transposed_product(panel.size(), columns, rows.size(),
                                    row(rows.first) + panel.first, stride_, x.data(), columns,
                                    c.data(), columns);
}

template class HostBlockedBand<float>;
template class HostBlockedBand<double>;

}  // namespace spsolve
