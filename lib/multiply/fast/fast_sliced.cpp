#include "multiply/fast/fast_sliced.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace spsolve::inline multiply {

namespace {

constexpr Index shortest_long_row = 64;

/// Columns of X from which on rows of a real form keep their order.
constexpr Index most_sorted_columns_of_form = 7;

/// Rows between the request for a row of X and its use, and of how many entries they are at most:
/// so many columns can be read behind the last one.
constexpr Index rows_ahead = 3, most_entries_ahead = 16;
constexpr Index columns_behind = fast::lanes<float> * shortest_long_row;

/// Entries of so many parts in a row.
template <int parts, typename T>
LocalIndex length_of(const Csr<T>& csr, Index row) {
  const Index first = parts * row;
  return static_cast<LocalIndex>((csr.row_offsets[first + 1] - csr.row_offsets[first]) / parts);
}

}  // namespace

template <typename T, int parts>
void SlicedEntries<T, parts>::sort_rows(const Csr<T>& csr, Index block) {
  const Range rows = rows_of(block);
  std::uint16_t* const begin = order_.data() + rows.first;
  std::uint16_t* const end = order_.data() + rows.last;
  std::iota(begin, end, std::uint16_t{0});
  if (!sorts_) return;
  const auto longer = [&](std::uint16_t i, std::uint16_t j) {
    return length_of<parts>(csr, rows.first + i) > length_of<parts>(csr, rows.first + j);
  };
  if (!std::is_sorted(begin, end, longer)) std::stable_sort(begin, end, longer);
}

/// work(slice, its first place in the order) for the sorted rows of a block.
template <typename T, int parts>
template <typename Work>
void SlicedEntries<T, parts>::for_each_slice(const Csr<T>& csr, Index block,
                                             const Work& work) const {
  constexpr Index lanes = fast::rows_side_by_side<T, parts>;
  const Range rows = rows_of(block);
  const auto length = [&](Index place) {
    return length_of<parts>(csr, rows.first + order_[place]);
  };
  for (Index at = rows.first; at < rows.last;) {
    const LocalIndex longest = length(at);
    const bool alone = !sorts_ || longest >= shortest_long_row;
    const Index count = alone ? 1 : std::min(lanes, rows.last - at);
    const LocalIndex shortest =
        count == lanes || count == 1 ? length(at + count - 1) : LocalIndex{0};
    work(Slice{shortest, longest, static_cast<LocalIndex>(count)}, at);
    at += count;
  }
}

template <typename T, int parts>
template <typename Column>
void SlicedEntries<T, parts>::copy_rows(const Csr<T>& csr, Index block,
                                        UntouchedArray<Column>& columns) {
  const SliceBlock& part = parts_[block];
  const Index first_row = rows_of(block).first;
  Index place = part.first_value, counted = part.first_step, number = part.first_slice;
  for_each_slice(csr, block, [&](const Slice& slice, Index at) {
    slices_[number++] = slice;
    for (Index j = 0; j < slice.longest; ++j) {
      Index lane = 0;
      for (; lane < slice.rows; ++lane) {
        const Index row = first_row + order_[at + lane];
        if (length_of<parts>(csr, row) <= j) break;
        const Index from = csr.row_offsets[parts * row] + parts * j;
        columns[place] = static_cast<Column>(csr.column_indices[from] / parts - part.base);
        values_[parts * place] = csr.values[from];
        if constexpr (parts > 1) values_[parts * place + 1] = 0 - csr.values[from + 1];
        ++place;
      }
      if (j >= slice.shortest) active_[counted++] = static_cast<std::uint8_t>(lane);
    }
  });
}

template <typename T, int parts>
SlicedEntries<T, parts> SlicedEntries<T, parts>::from_csr(const Csr<T>& csr,
                                                          const KernelOptions& options) {
  SlicedEntries result(RowBlocks(csr.row_offsets), fast::threads_of(options));
  if constexpr (parts > 1) {
    result.conjugates_ = real_form_kind(csr) == RealFormKind::conjugated;
    result.sorts_ = options.columns <= most_sorted_columns_of_form;
  }
  const Index entries = csr.nonzeros() / (parts * parts);
  const RowBlocks& blocks = result.blocks();
  const int threads = fast::worthwhile_threads(fast::threads_of(options), csr.nonzeros());
  result.order_ = UntouchedArray<std::uint16_t>(csr.rows / parts);
  result.parts_.resize(static_cast<std::size_t>(blocks.count() + 1));
  std::vector<LocalIndex> spans(static_cast<std::size_t>(blocks.count()));
  blocks.for_each(threads, [&](Index block) {
    result.sort_rows(csr, block);
    SliceBlock& next = result.parts_[block + 1];
    result.for_each_slice(csr, block, [&](const Slice& slice, Index) {
      ++next.first_slice;
      next.first_step += slice.longest - slice.shortest;
    });
    const Range rows = blocks.rows(block);
    const auto [least, most] =
        std::minmax_element(csr.column_indices.begin() + csr.row_offsets[rows.first],
                            csr.column_indices.begin() + csr.row_offsets[rows.last]);
    if (csr.row_offsets[rows.first] == csr.row_offsets[rows.last]) return;
    result.parts_[block].base = *least / parts;
    spans[block] = *most / parts - *least / parts;
  });
  for (Index block = 0; block < blocks.count(); ++block) {
    SliceBlock &part = result.parts_[block], &next = result.parts_[block + 1];
    next.first_slice += part.first_slice;
    next.first_step += part.first_step;
    next.first_value = csr.row_offsets[blocks.rows(block).last] / (parts * parts);
  }
  const bool narrow = std::ranges::all_of(
      spans, [](LocalIndex span) { return span <= std::numeric_limits<std::uint16_t>::max(); });
  result.slices_ = UntouchedArray<Slice>(result.parts_.back().first_slice);
  result.active_ = UntouchedArray<std::uint8_t>(result.parts_.back().first_step);
  result.values_ = UntouchedArray<T>(parts * entries, Use::rereading);
  if (narrow) {
    result.narrow_ = UntouchedArray<std::uint16_t>(entries + columns_behind, Use::rereading);
    std::fill_n(result.narrow_.data() + entries, columns_behind, std::uint16_t{0});
  } else {
    result.wide_ = UntouchedArray<LocalIndex>(entries + columns_behind, Use::rereading);
    std::fill_n(result.wide_.data() + entries, columns_behind, LocalIndex{0});
    for (SliceBlock& part : result.parts_) part.base = 0;
  }
  blocks.for_each(threads, [&](Index block) {
    narrow ? result.copy_rows(csr, block, result.narrow_)
           : result.copy_rows(csr, block, result.wide_);
  });
  return result;
}

template <typename T, int parts>
std::int64_t SlicedEntries<T, parts>::bytes() const {
  return slices_.bytes() + order_.bytes() + active_.bytes() + narrow_.bytes() + wide_.bytes() +
         values_.bytes() + static_cast<std::int64_t>(parts_.size() * sizeof(SliceBlock));
}

template <typename T, int parts>
template <typename Column>
void SlicedEntries<T, parts>::multiply_vector(Index block, const UntouchedArray<Column>& columns,
                                              const T* x, T* y) const {
  constexpr Index lanes = fast::rows_side_by_side<T, parts>;
  const SliceBlock& part = parts_[block];
  const T* values = values_.data() + parts * part.first_value;
  const Column* indices = columns.data() + part.first_value;
  const std::uint16_t* order = order_.data() + rows_of(block).first;
  const std::uint8_t* active = active_.data() + part.first_step;
  const bool conjugates = conjugates_;
  x += parts * part.base;
  for (Index s = part.first_slice; s < parts_[block + 1].first_slice; ++s) {
    const Slice slice = slices_[s];
    if (slice.rows == 1) {
      fast::dot_row<parts>(values, indices, slice.longest, x, conjugates, y + parts * *order++);
      values += parts * slice.longest;
      indices += slice.longest;
      continue;
    }
    // Two sums, so that none waits for the one before it.
    fast::LaneSums<T, parts> chains[2];
    fast::LaneSums<T, parts>& sums = chains[0];
    const auto step = [&](int c) __attribute__((always_inline)) {
      chains[c].add(values, x, indices);
      values += parts * lanes;
      indices += lanes;
    };
    for (Index j = 2; j <= slice.shortest; j += 2) {
      step(0);
      step(1);
    }
    if (slice.shortest % 2 != 0) step(0);
    for (Index j = slice.shortest; j < slice.longest; ++j) {
      const Index count = *active++;
      sums.add_first(values, x, indices, count);
      values += parts * count;
      indices += count;
    }
    sums.add(chains[1]);
    const auto sum = sums.value(conjugates);
    // Rows of one length are in their order.
    if (slice.rows == lanes && slice.shortest == slice.longest &&
        order[lanes - 1] - order[0] == lanes - 1) {
      fast::store(y + parts * order[0], sum);
    } else if constexpr (parts == 1) {
      fast::scatter_first(y, order, slice.rows, sum);
    } else {
      T pairs[fast::lanes<T>];
      fast::store(pairs, sum);
      for (Index lane = 0; lane < slice.rows; ++lane) {
        std::copy_n(pairs + parts * lane, parts, y + parts * order[lane]);
      }
    }
    order += slice.rows;
  }
}

/// Y = A X for a block of columns, the first of which x and y begin with: of K = `columns`, the
/// last vector at `last` (fast::ColumnBlock).
template <typename T, int parts>
template <typename Sums, typename Column, typename Columns, typename Last>
void SlicedEntries<T, parts>::sum_slices(Index block, const Column* indices, const T* x, T* y,
                                         Columns columns, Last last, fast::RowEnd end) const {
  constexpr int at_once = Sums::rows_at_once;
  constexpr int chains = at_once > 1 ? 2 : 1;
  constexpr Index lanes = fast::rows_side_by_side<T, parts>;
  const SliceBlock& part = parts_[block];
  const T* values = values_.data() + parts * part.first_value;
  indices += part.first_value;
  const std::uint16_t* order = order_.data() + rows_of(block).first;
  const std::uint8_t* active = active_.data() + part.first_step;
  const auto row_of_x = [&](Column column) __attribute__((always_inline)) {
    return x + static_cast<Index>(column) * (parts * columns);
  };
  const auto add = [&](Sums & sums, const T* value, Column column) __attribute__((always_inline)) {
    sums.add(value, row_of_x(column), columns, last);
  };
  for (Index s = part.first_slice; s < parts_[block + 1].first_slice; ++s) {
    const Slice slice = slices_[s];
    if (slice.rows == 1) {
      const Index length = slice.longest;
      // Of rows in their order the last column is the one that none of them had before.
      Sums::fetch(row_of_x(indices[length + rows_ahead * std::min(length, most_entries_ahead)]),
                  columns, last);
      Sums sums[chains];
      Index k = 0;
      for (; k + chains <= length; k += chains) {
        fast::fetch_values_ahead(values + parts * k);
#pragma GCC unroll 2
        for (int c = 0; c < chains; ++c) add(sums[c], values + parts * (k + c), indices[k + c]);
      }
      if constexpr (chains > 1) {
        if (k < length) add(sums[0], values + parts * k, indices[k]);
        sums[0].add(sums[1]);
      }
      sums[0].write(y + *order++ * (parts * columns), columns, last, end);
      values += parts * length;
      indices += length;
      continue;
    }
    const Index ragged = slice.longest - slice.shortest;
    const T* next_values = values;
    const Column* next_indices = indices;
    for (Index lane = 0; lane < slice.rows; lane += at_once) {
      Sums sums[at_once];
      const T* value = values + parts * lane;
      const Column* index = indices + lane;
      for (Index j = 0; j < slice.shortest; ++j) {
        fast::fetch_values_ahead(value);
#pragma GCC unroll 8
        for (int r = 0; r < at_once; ++r) add(sums[r], value + parts * r, index[r]);
        value += parts * lanes;
        index += lanes;
      }
      for (Index j = 0; j < ragged && lane < active[j]; ++j) {
        const Index count = active[j];
#pragma GCC unroll 8
        for (int r = 0; r < at_once; ++r) {
          if (lane + r < count) add(sums[r], value + parts * r, index[r]);
        }
        value += parts * count;
        index += count;
      }
#pragma GCC unroll 8
      for (int r = 0; r < at_once; ++r) {
        if (lane + r >= slice.rows) break;
        sums[r].write(y + order[lane + r] * (parts * columns), columns, last, end);
      }
      if (lane > 0) continue;
      next_values = value;  // the first row has entries in all steps
      next_indices = index;
    }
    values = next_values;
    indices = next_indices;
    active += ragged;
    order += slice.rows;
  }
}

template <typename T, int parts>
template <typename Column>
void SlicedEntries<T, parts>::multiply_columns(Index block, const UntouchedArray<Column>& indices,
                                               const T* x, T* y, Index columns,
                                               bool streaming) const {
  // Registers for four sums an element, of which old processors have 16.
  constexpr int most = parts == 1 ? 8 : fast::register_bytes == 64 ? 4 : 2;
  x += parts * parts_[block].base * columns;
  const auto lies_at_registers = [&](Index elements) {
    return reinterpret_cast<std::uintptr_t>(y) % fast::register_bytes == 0 &&
           elements % fast::lanes<T> == 0;
  };
  if constexpr (parts > 1) {
    const fast::RowEnd end{conjugates_, streaming && lies_at_registers(parts * columns)};
    if (fast::with_whole_row<T>(columns, [&]<int width>() {
          sum_slices<fast::WholeRowSums<T, width>>(block, indices.data(), x, y,
                                                   std::integral_constant<Index, width / parts>(),
                                                   std::integral_constant<Index, 0>(), end);
        })) {
      return;
    }
  }
  const fast::RowEnd end{conjugates_, streaming && lies_at_registers(columns)};
  fast::for_each_column_block<T, most>(columns, [&]<int width, int count>(fast::ColumnBlock strip) {
    fast::with_row_of_x<T, width, count>(columns, strip, [&](auto columns_of_x, auto last) {
      sum_slices<fast::ColumnSums<T, parts, width, count>>(
          block, indices.data(), x + strip.first, y + strip.first, columns_of_x, last, end);
    });
  });
}

template <typename T, int parts>
void SlicedEntries<T, parts>::multiply_block(Index block, const T* x, T* y, Index columns,
                                             bool streaming) const {
  if (columns == 1) {
    wide_.size() > 0 ? multiply_vector(block, wide_, x, y) : multiply_vector(block, narrow_, x, y);
    return;
  }
  wide_.size() > 0 ? multiply_columns(block, wide_, x, y, columns, streaming)
                   : multiply_columns(block, narrow_, x, y, columns, streaming);
  if (streaming) fast::finish_streaming();
}

#define SPSOLVE_SLICED(T)             \
  template class SlicedEntries<T, 1>; \
  template class SlicedEntries<T, complex_parts>;
SPSOLVE_FOR_SCALARS(SPSOLVE_SLICED)
#undef SPSOLVE_SLICED

}  // namespace spsolve::multiply
