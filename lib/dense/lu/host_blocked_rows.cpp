#include "dense/lu/host_blocked_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas/blas.hpp"
#include "core/tuning.hpp"
#include "dense/lu/lapack_panel.hpp"
#include "dense/lu/small_lu.hpp"

namespace spsolve::inline dense {

template <typename T>
std::int64_t HostBlockedRows<T>::bytes(Index height, Index order, Index max_width, int ranks) {
  const Index of_team = max_width * (2 * order + (1 + 4 * ranks) * max_width);
  const Index elements =
      height * padded_stride<T>(order) + height * max_width + (ranks == 1 ? 0 : of_team);
  return elements * static_cast<std::int64_t>(sizeof(T));
}

template <typename T>
HostBlockedRows<T>::HostBlockedRows(const ScaledRows& sparse, Index width, bool by_itself,
                                    Index piece_width)
    : Base(sparse.rows.rows / rows_of_row<T>, sparse.rows.columns / rows_of_row<T>, width,
           by_itself, piece_width),
      stride_(padded_stride<T>(this->order())),
      values_(this->height() * stride_),
      scratch_(this->height() * width),
      block_(by_itself ? 0 : width * this->order()),
      travel_(by_itself ? 0 : width * this->order()),
      solution_(values_.data(), stride_, this->order(), width) {
  fill_dense_rows(sparse, values_.data(), stride_);
}

// --- the pivots of a panel

template <typename T>
PanelOutcome HostBlockedRows<T>::factor_panel(Range panel, Pivoting pivoting) {
  PanelOutcome outcome =
      pivoting == Pivoting::none ? factor_without_pivoting(panel) : factor_with_pivoting(panel);
  append_swaps(panel.first, outcome.swaps, swaps_);
  if (outcome.bad_column >= 0) outcome.bad_column += panel.first;
  return outcome;
}

template <typename T>
PanelOutcome HostBlockedRows<T>::factor_without_pivoting(Range panel) {
  const Index width = panel.size();
  PanelOutcome outcome;
  std::vector<T> factors(static_cast<std::size_t>(width * width));
  for (Index i = 0; i < width; ++i) {
    std::copy_n(row(panel.first + i) + panel.first, width, factors.data() + i * width);
    outcome.swaps.push_back(panel.first + i);
  }
  factor_small<T>(width, width, factors, false, {});
  set_factors(panel, factors);
  form_multipliers(panel.last, panel);
  for (Index i = 0; i < width; ++i) {
    std::copy_n(factors.data() + i * width, width, row(panel.first + i) + panel.first);
  }
  outcome.bad_column = bad_pivot(factors.data(), width + 1, width);
  return outcome;
}

template <typename T>
PanelOutcome HostBlockedRows<T>::factor_with_pivoting(Range panel) {
  PanelOutcome outcome;
  std::vector<int> local(static_cast<std::size_t>(panel.size()));
  outcome.bad_column =
      factor_panel_by_lapack(row(panel.first) + panel.first, stride_, height() - panel.first,
                             panel.size(), scratch_.data(), std::span<int>(local));
  for (const int swap : local) outcome.swaps.push_back(panel.first + swap);
  return outcome;
}

template <typename T>
void HostBlockedRows<T>::start_merge(Index width, Index block_rows, std::span<const T> candidates,
                                     std::span<const Index> counts) {
  merged_.clear();
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const T* const first = candidates.data() + static_cast<Index>(rank) * block_rows * width;
    merged_.insert(merged_.end(), first, first + counts[rank] * width);
  }
}

template <typename T>
void HostBlockedRows<T>::finish_merge(Index width, std::span<Index> numbers) {
  factor_small<T>(std::ssize(numbers), width, merged_, true, numbers);
  merged_.resize(static_cast<std::size_t>(width * width));
  std::swap(factors_, former_factors_);
  std::swap(factors_, merged_);
}

template <typename T>
void HostBlockedRows<T>::set_factors(Range, std::span<const T> factors) {
  factors_.assign(factors.begin(), factors.end());
}

template <typename T>
Candidates<T> HostBlockedRows<T>::room_for(Index values_of_rank, int ranks) {
  const auto block = static_cast<std::size_t>(values_of_rank);
  if (candidates_.size() < (1 + ranks) * block) candidates_.resize((1 + ranks) * block);
  const std::span<T> buffer(candidates_);
  return {{}, buffer.first(block), buffer.subspan(block, ranks * block)};
}

template <typename T>
Candidates<T> HostBlockedRows<T>::all_candidates(Index first_active, Range panel, Index block_rows,
                                                 int ranks) {
  Candidates<T> candidates = room_for(block_rows * panel.size(), ranks);
  T* next = candidates.mine.data();
  for (Index i = first_active; i < height(); ++i) {
    next = std::copy_n(row(i) + panel.first, panel.size(), next);
  }
  return candidates;
}

template <typename T>
Candidates<T> HostBlockedRows<T>::best_candidates(Index first_active, Range panel, int ranks) {
  const Index rows = height() - first_active;
  const Index width = panel.size();
  Candidates<T> candidates = room_for(width * width, ranks);
  if (rows == 0) return candidates;
  copy_panel(row(first_active) + panel.first, stride_, rows, width, scratch_.data());
  std::vector<int> swaps(static_cast<std::size_t>(std::min(rows, width)));
  blas::factor_columns(rows, width, scratch_.data(), rows, swaps.data());
  candidates.places = rows_in_front<int>(first_active, rows, swaps);
  T* next = candidates.mine.data();
  for (const Index place : candidates.places) {
    next = std::copy_n(row(place) + panel.first, width, next);
  }
  return candidates;
}

template <typename T>
void HostBlockedRows<T>::retire(Index first_active, Range panel, std::span<const Index> swaps) {
  Index place = first_active;
  for (const Index other : swaps) {
    T* const target = row(place++);
    if (target != row(other)) {
      std::swap_ranges(target + panel.first, target + panel.last, row(other) + panel.first);
    }
  }
  append_swaps(first_active, swaps, swaps_);
}

template <typename T>
double HostBlockedRows<T>::form_multipliers(Index first_active, Range panel) {
  const Index rows = height() - first_active;
  const Index width = panel.size();
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(row(first_active + i) + panel.first, width, scratch_.data() + i * width);
  }
  blas::solve_upper_from_right(rows, width, factors_.data(), width, row(first_active) + panel.first,
                               stride_);
  return largest_in({first_active, height()}, panel);
}

template <typename T>
void HostBlockedRows<T>::withdraw_multipliers(Index first_active, Range panel) {
  const Index width = panel.size();
#pragma omp parallel for schedule(static)
  for (Index i = first_active; i < height(); ++i) {
    std::copy_n(scratch_.data() + (i - first_active) * width, width, row(i) + panel.first);
  }
}

// --- a piece of the columns after it

template <typename T>
void HostBlockedRows<T>::follow_swaps(Range panel, Range piece) {
  // Threads share the columns; a share of them lies on one side of the panel.
  const auto shares = [](Range columns) {
    return (columns.size() + host_tuning.swap_columns - 1) / host_tuning.swap_columns;
  };
  const bool is_last = piece.last == order();
  const Range left{0, is_last ? panel.first : 0};
#pragma omp parallel for schedule(static)
  for (Index share = 0; share < shares(left) + shares(piece); ++share) {
    const bool before = share < shares(left);
    const Range side = before ? left : piece;
    const Index first =
        side.first + (before ? share : share - shares(left)) * host_tuning.swap_columns;
    const Index last = std::min(first + host_tuning.swap_columns, side.last);
    for (const RowSwap& swap : swaps_) {
      if (swap.one == swap.other) continue;
      std::swap_ranges(row(swap.one) + first, row(swap.one) + last, row(swap.other) + first);
    }
  }
  if (is_last) swaps_.clear();
}

template <typename T>
std::span<T> HostBlockedRows<T>::pack_rows(Range piece, Index first, Index count, Index place) {
  T* next = travel_.data() + place * piece.size();
  for (Index i = first; i < first + count; ++i) {
    next = std::copy_n(row(i) + piece.first, piece.size(), next);
  }
  return {travel_.data(), static_cast<std::size_t>(max_width() * piece.size())};
}

template <typename T>
Index HostBlockedRows<T>::pivot_stride(Range panel) const {
  return alone() ? stride_ : order() - panel.first;
}

template <typename T>
T* HostBlockedRows<T>::pivot_block(Range panel, Index column) {
  return alone() ? row(panel.first) + column : block_.data() + (column - panel.first);
}

template <typename T>
void HostBlockedRows<T>::set_pivot_block(Range panel, Range piece, std::span<const Index> places) {
  const Index width = panel.size();
  const Index stride = pivot_stride(panel);
  const bool first = piece.first == panel.last;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < width; ++i) {
    if (first) {
      std::copy_n(factors_.data() + i * width, width, pivot_block(panel, panel.first) + i * stride);
    }
    std::copy_n(travel_.data() + places[i] * piece.size(), piece.size(),
                pivot_block(panel, piece.first) + i * stride);
  }
}

template <typename T>
void HostBlockedRows<T>::solve_pivot_rows(Range panel, Range piece, std::span<const Index> own,
                                          Index first) {
  const Index stride = pivot_stride(panel);
  blas::solve_unit_lower(panel.size(), piece.size(), pivot_block(panel, panel.first), stride,
                         pivot_block(panel, piece.first), stride);
  if (alone()) return;
  const Range kept{piece.first == panel.last ? panel.first : piece.first, piece.last};
  for (const Index i : own) {
    std::copy_n(pivot_block(panel, kept.first) + i * stride, kept.size(),
                row(first++) + kept.first);
  }
}

template <typename T>
void HostBlockedRows<T>::update(Index first_active, Range panel, Range piece) {
  blas::subtract_product(height() - first_active, piece.size(), panel.size(),
                         row(first_active) + panel.first, stride_, pivot_block(panel, piece.first),
                         pivot_stride(panel), row(first_active) + piece.first, stride_);
}

// --- what is there

template <typename T>
std::vector<T> HostBlockedRows<T>::read(Range rows, Range columns) const {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(rows.size() * columns.size()));
  for (Index i = rows.first; i < rows.last; ++i) {
    values.insert(values.end(), row(i) + columns.first, row(i) + columns.last);
  }
  return values;
}

template <typename T>
void HostBlockedRows<T>::write_rows(Index first, std::span<const T> values) {
  for (; !values.empty(); values = values.subspan(order())) {
    std::copy_n(values.data(), order(), row(first++));
  }
}

template <typename T>
double HostBlockedRows<T>::largest_in(Range rows, Range columns, bool upper) const {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (Index i = rows.first; i < rows.last; ++i) {
    const Index left_out = upper ? std::min(i - rows.first, columns.size()) : 0;
    largest =
        std::max(largest, largest_of(row(i) + columns.first + left_out, columns.size() - left_out));
  }
  return largest;
}

template <typename T>
std::vector<T> HostBlockedRows<T>::diagonal() const {
  std::vector<T> values;
  for (Index i = 0; i < std::min(height(), order()); ++i) values.push_back(row(i)[i]);
  return values;
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class HostBlockedRows)

}  // namespace spsolve::dense
