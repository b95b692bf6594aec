#include "multiply/fast/fast_csr.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "multiply/fast/fast_rows.hpp"
#include "multiply/kernel/fast_team.hpp"

namespace spsolve::inline multiply {

namespace {

/// Non-zeros between the request for a row of X and its use.
constexpr Index prefetch_distance = 16;

using NotAhead = std::integral_constant<Index, 0>;

/// Columns whose numbers fit in 16 bits.
constexpr Index most_narrow_columns = Index{1} << 16;

/// Rows of a run, on average, that are worth a loop of their own.
constexpr Index rows_of_run = 4;

/// Sorted rows between the request for a row of Y and its sums, where these are as many bytes as
/// here: such rows do not come one after the other, and the processor would wait for each.
constexpr Index rows_ahead = 8;
constexpr std::size_t fetched_bytes = 64;

/// X larger than this is fetched ahead: smaller ones lie in a core's cache anyway.
constexpr Index cached_bytes = Index{1} << 20;

/// Whether rows of X are met in an order that the processor doesn't foresee: of the non-zeros of
/// some thousand rows, more than a quarter lie far from the one at their place in the row before.
template <typename T>
bool columns_are_irregular(const Csr<T>& csr) {
  constexpr Index sampled_rows = 4096;
  constexpr Index near = 16;
  Index seen = 0, far = 0;
  for (Index i = 1; i < csr.rows; i += std::max<Index>(1, csr.rows / sampled_rows)) {
    const auto row = csr.row_columns(i), before = csr.row_columns(i - 1);
    const std::size_t shared = std::min(row.size(), before.size());
    for (std::size_t k = 0; k < shared; ++k) far += std::abs(row[k] - before[k]) > near;
    far += static_cast<Index>(row.size() - shared);
    seen += static_cast<Index>(row.size());
  }
  return 4 * far > seen;
}

/// Row and non-zero at place `place` of the path that passes row i's non-zeros, then its end.
std::pair<Index, Index> point_on_path(const std::vector<Index>& row_offsets, Index place) {
  const auto rows = static_cast<Index>(row_offsets.size()) - 1;
  // The first row whose end lies after `place`.
  Index low = 0, high = rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (row_offsets[middle + 1] + middle + 1 > place) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return {low, place - low};
}

}  // namespace

template <typename T>
bool lengths_are_irregular(const Csr<T>& csr) {
  constexpr Index short_row = 24;
  if (csr.nonzeros() > short_row * csr.rows) return false;
  Index changes = 0;
  for (Index i = 1; i < csr.rows; ++i) {
    changes +=
        csr.row_offsets[i + 1] - csr.row_offsets[i] != csr.row_offsets[i] - csr.row_offsets[i - 1];
  }
  return 8 * changes > csr.rows;
}

NonzeroSplit split_nonzeros(const std::vector<Index>& row_offsets, int parts) {
  const auto rows = static_cast<Index>(row_offsets.size()) - 1;
  const Index steps = rows + row_offsets.back();
  const Index slack = steps / parts / 64;
  NonzeroSplit split;
  split.first_row.push_back(0);
  split.first_nonzero.push_back(0);
  for (int p = 1; p < parts; ++p) {
    auto [row, nonzero] = point_on_path(row_offsets, fast::boundary(steps, p, parts));
    if (row < rows) {
      const Index before = nonzero - row_offsets[row];
      const Index after = row_offsets[row + 1] - nonzero;
      if (after == 0 || (after <= before && after <= slack)) {
        ++row;
        nonzero = row_offsets[row];
      } else if (before <= slack) {
        nonzero = row_offsets[row];
      }
    }
    // Moved cuts must not pass each other.
    if (nonzero < split.first_nonzero.back() || row < split.first_row.back()) {
      row = split.first_row.back();
      nonzero = split.first_nonzero.back();
    }
    split.first_row.push_back(row);
    split.first_nonzero.push_back(nonzero);
  }
  split.first_row.push_back(rows);
  split.first_nonzero.push_back(row_offsets.back());
  return split;
}

template <typename T>
BalancedCsr<T> BalancedCsr<T>::from_csr(const Csr<T>& csr, const KernelOptions& options,
                                        bool sorted) {
  BalancedCsr result;
  result.threads_ = fast::threads_of(options);
  const NonzeroSplit split = split_nonzeros(csr.row_offsets, result.threads_);
  result.nonzeros_ = csr.nonzeros();
  result.x_rows_ = csr.columns;
  result.irregular_ = columns_are_irregular(csr);
  result.lengths_ = UntouchedArray<LocalIndex>(csr.rows);
  const bool narrow = csr.columns <= most_narrow_columns;
  const Index room = csr.nonzeros() + prefetch_distance;
  if (narrow) {
    result.narrow_ = UntouchedArray<std::uint16_t>(room, Use::rereading);
  } else {
    result.column_indices_ = UntouchedArray<LocalIndex>(room, Use::rereading);
  }
  const auto set_column = [&](Index place, LocalIndex column) {
    if (narrow) {
      result.narrow_[place] = static_cast<std::uint16_t>(column);
    } else {
      result.column_indices_[place] = column;
    }
  };
  result.values_ = UntouchedArray<T>(csr.nonzeros(), Use::rereading);
  for (int p = 0; p < split.parts(); ++p) {
    const Index row = split.first_row[p], last = split.first_row[p + 1];
    const Index begin = split.first_nonzero[p], end = split.first_nonzero[p + 1];
    const Index carried = last < csr.rows ? end - std::max(begin, csr.row_offsets[last]) : 0;
    result.parts_.push_back({row, last, begin, end, static_cast<LocalIndex>(carried)});
  }
  if (sorted) result.sort_rows(csr);
  fast::for_each_part(
      split.parts(), fast::worthwhile_threads(result.threads_, csr.nonzeros()), [&](int p) {
        const ThreadPart& part = result.parts_[p];
        Index place = part.first_nonzero;
        const auto copy = [&](Index first, Index last) {
          for (Index k = first; k < last; ++k, ++place) {
            set_column(place, csr.column_indices[k]);
            result.values_[place] = csr.values[k];
          }
        };
        for (Index at = part.first_row; at < part.last_row; ++at) {
          const Index i = result.order_.size() > 0 ? result.order_[at] : at;
          const Index first = at == part.first_row ? part.first_nonzero : csr.row_offsets[i];
          const Index last = csr.row_offsets[i + 1];
          result.lengths_[at] = static_cast<LocalIndex>(last - first);
          copy(first, last);
        }
        copy(part.last_nonzero - part.carry_length, part.last_nonzero);
      });
  for (Index k = csr.nonzeros(); k < room; ++k) set_column(k, 0);
  result.cut_into_pieces();
  result.find_runs();
  result.carries_.resize(split.parts() * std::max<Index>(1, options.columns));
  return result;
}

/// Sorts all rows but the first of every part, which may be cut, by length.
template <typename T>
void BalancedCsr<T>::sort_rows(const Csr<T>& csr) {
  constexpr Index window = 256;
  order_ = UntouchedArray<LocalIndex>(csr.rows + rows_ahead);
  std::fill_n(order_.data() + csr.rows, rows_ahead, static_cast<LocalIndex>(csr.rows - 1));
  fast::for_each_part(
      static_cast<int>(parts_.size()), fast::worthwhile_threads(threads_, csr.nonzeros()),
      [&](int p) {
        const ThreadPart& part = parts_[p];
        LocalIndex* order = order_.data();
        std::iota(order + part.first_row, order + part.last_row,
                  static_cast<LocalIndex>(part.first_row));
        for (Index first = part.first_row + 1; first < part.last_row; first += window) {
          const Index last = std::min(first + window, part.last_row);
          std::stable_sort(order + first, order + last, [&](LocalIndex i, LocalIndex j) {
            return csr.row_offsets[i + 1] - csr.row_offsets[i] <
                   csr.row_offsets[j + 1] - csr.row_offsets[j];
          });
        }
      });
}

template <typename T>
void BalancedCsr<T>::cut_into_pieces() {
  for (const ThreadPart& part : parts_) {
    pieces_.begin_part();
    Index nonzero = part.first_nonzero;
    for (Index at = part.first_row; at < part.last_row; ++at) {
      const auto make = [&] { return RunPiece{at, at, nonzero}; };
      ++pieces_.next(lengths_[at] + 1, make).last_row;
      nonzero += lengths_[at];
    }
  }
}

template <typename T>
void BalancedCsr<T>::find_runs() {
  Index rows = 0;
  for (RunPiece& piece : pieces_.all()) {
    piece.first_run = runs_.size();
    for (Index at = piece.first_row; at < piece.last_row; ++at, ++rows) {
      if (runs_.size() == piece.first_run || runs_.back().length != lengths_[at]) {
        runs_.push_back({lengths_[at], 0});
      }
      ++runs_.back().rows;
    }
    piece.last_run = runs_.size();
  }
  if (std::ssize(runs_) * rows_of_run <= rows) return;
  runs_.clear();
  for (RunPiece& piece : pieces_.all()) piece.first_run = piece.last_run = 0;
}

template <typename T>
std::int64_t BalancedCsr<T>::bytes() const {
  return lengths_.bytes() + order_.bytes() + column_indices_.bytes() + narrow_.bytes() +
         values_.bytes() + pieces_.bytes() + static_cast<std::int64_t>(runs_.size() * sizeof(Run));
}

/// Y = A X for rows one after the other here, for the columns of a block; with width 1 for the only
/// one. A function, not a part of loops: it is compiled once.
template <typename T>
template <int width, int count, typename Column, typename Columns, typename Last, typename Ahead>
[[gnu::noinline]] void BalancedCsr<T>::multiply_rows(const RowSpan& span,
                                                     const Column* column_indices, const T* x, T* y,
                                                     Columns columns_of_x, Last last,
                                                     Ahead ahead) const {
  const RowSpan own = span;  // in registers, where stores of sums leave it
  const T* values = values_.data() + own.first_nonzero;
  const Column* indices = column_indices + own.first_nonzero;
  const auto row = [&](auto length, Index i) __attribute__((always_inline)) {
    T* const to = y + i * columns_of_x;
    if constexpr (width == 1) {
      T sum[1];
      fast::dot_rows<1>(values, 0, indices, length, x, sum);
      *to = sum[0];
    } else {
      fast::Vector<T, width> sum[1][count];
      fast::sum_rows<1, width, count>(values, 0, indices, length, x, columns_of_x, last, ahead,
                                      sum);
      for (int v = 0; v < count; ++v) {
        fast::store(to + fast::vector_start<width, count>(v, last), sum[0][v]);
      }
    }
    values += length;
    indices += length;
  };
  // One loop for both orders, in place of all code twice: a branch a row, always guessed right.
  const auto row_at = [&](Index at) __attribute__((always_inline)) {
    if (own.order == nullptr) return at;
    if constexpr (sizeof(T) * width * count >= fetched_bytes) {
      const Index next = own.order[at + rows_ahead];
      for (int v = 0; v < count; ++v) {
        __builtin_prefetch(y + next * columns_of_x + fast::vector_start<width, count>(v, last), 1);
      }
    }
    return static_cast<Index>(own.order[at]);
  };
  const auto rows = [&](auto number) __attribute__((always_inline)) {
    Index at = own.first;
    // More vectors a row go through memory, and loops that run ahead of their stores then wait for
    // them where X and Y lie badly to each other within their pages: 1.25 times the time.
    if constexpr (width > 1 && count == 1 && std::is_same_v<Ahead, NotAhead>) {
      for (const Run& run : own.runs) {
        // A length that the compiler knows leaves nothing of the loop over a row.
        fast::for_short_length(
            run.length, [&](auto length) __attribute__((always_inline)) {
              for (const Index end = at + run.rows; at < end; ++at) row(length, number(at));
            });
      }
    }
    for (; at < own.last; ++at) row(static_cast<Index>(own.lengths[at]), number(at));
  };
  // But where a row's sums are one vector that branch would be a tenth of the time.
  if constexpr (count == 1) {
    if (own.order == nullptr) return rows([](Index at) { return at; });
  }
  rows(row_at);
}

template <typename T>
template <typename Column>
void BalancedCsr<T>::multiply_part(int p, const Column* column_indices, const T* x, T* y,
                                   Index columns) {
  const auto multiply_block = [&]<int width, int count>(Index first, auto columns_of_x, auto last,
                                                        auto ahead) {
    const auto multiply_span = [&](const RowSpan& span, T* to) {
      multiply_rows<width, count>(span, column_indices, x + first, to + first, columns_of_x, last,
                                  ahead);
    };
    pieces_.for_each(p, [&](const RunPiece& piece) {
      const std::span<const Run> runs(runs_.data() + piece.first_run,
                                      runs_.data() + piece.last_run);
      multiply_span({lengths_.data(), order_.data(), piece.first_row, piece.last_row, runs,
                     piece.first_nonzero},
                    y);
    });
    const ThreadPart& part = parts_[p];
    if (part.carry_length == 0) return;
    multiply_span({&part.carry_length, nullptr, 0, 1, {}, part.last_nonzero - part.carry_length},
                  carries_.data() + p * columns);
  };
  if (columns == 1) {
    return multiply_block.template operator()<1, 1>(0, std::integral_constant<Index, 1>(),
                                                    NotAhead(), NotAhead());
  }
  const bool fetch = irregular_ && x_rows_ * columns * static_cast<Index>(sizeof(T)) > cached_bytes;
  fast::for_each_column_block<T, 8>(columns, [&]<int width, int count>(fast::ColumnBlock block) {
    fast::with_row_of_x<T, width, count>(columns, block, [&](auto columns_of_x, auto last) {
      const auto multiply = [&](auto ahead) {
        multiply_block.template operator()<width, count>(block.first, columns_of_x, last, ahead);
      };
      // In steps of several vectors a branch costs nothing; loops of one have a form without.
      if (count > 1 || fetch) {
        multiply(fetch ? prefetch_distance : Index{0});
      } else if constexpr (count == 1) {
        multiply(NotAhead());
      }
    });
  });
}

template <typename T>
void BalancedCsr<T>::multiply(const T* x, T* y, Index columns) {
  const int parts = static_cast<int>(parts_.size());
  if (static_cast<Index>(carries_.size()) < parts * columns) carries_.resize(parts * columns);
  fast::for_each_part(parts, fast::worthwhile_threads(threads_, nonzeros_ * columns), [&](int p) {
    if (narrow_.size() > 0) {
      multiply_part(p, narrow_.data(), x, y, columns);
    } else {
      multiply_part(p, column_indices_.data(), x, y, columns);
    }
  });
  pieces_.turn();
  for (int p = 0; p < parts; ++p) {
    if (parts_[p].carry_length == 0) continue;
    T* y_row = y + parts_[p].last_row * columns;
    for (Index c = 0; c < columns; ++c) y_row[c] += carries_[p * columns + c];
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(lengths_are_irregular)
SPSOLVE_INSTANTIATE(class BalancedCsr)

}  // namespace spsolve::multiply
