#include "multiply/fast/fast_sliced.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "multiply/fast/fast_rows.hpp"

namespace spsolve::inline multiply {

namespace {

constexpr Index shortest_long_row = 64;

template <typename T>
LocalIndex length_of(const Csr<T>& csr, Index row) {
  return static_cast<LocalIndex>(csr.row_offsets[row + 1] - csr.row_offsets[row]);
}

}  // namespace

template <typename T>
void SlicedRows<T>::sort_rows(const Csr<T>& csr, Index block) {
  const Range rows = this->blocks().rows(block);
  std::uint16_t* const begin = order_.data() + rows.first;
  std::uint16_t* const end = order_.data() + rows.last;
  std::iota(begin, end, std::uint16_t{0});
  const auto longer = [&](std::uint16_t i, std::uint16_t j) {
    return length_of(csr, rows.first + i) > length_of(csr, rows.first + j);
  };
  if (!std::is_sorted(begin, end, longer)) std::stable_sort(begin, end, longer);
}

/// work(slice, its first place in the order) for the sorted rows of a block.
template <typename T>
template <typename Work>
void SlicedRows<T>::for_each_slice(const Csr<T>& csr, Index block, const Work& work) const {
  constexpr Index lanes = fast::lanes<T>;
  const Range rows = this->blocks().rows(block);
  const auto length = [&](Index place) { return length_of(csr, rows.first + order_[place]); };
  for (Index at = rows.first; at < rows.last;) {
    const LocalIndex longest = length(at);
    const Index count = longest >= shortest_long_row ? 1 : std::min(lanes, rows.last - at);
    const LocalIndex shortest =
        count == lanes || count == 1 ? length(at + count - 1) : LocalIndex{0};
    work(Slice{shortest, longest, static_cast<LocalIndex>(count)}, at);
    at += count;
  }
}

template <typename T>
template <typename Column>
void SlicedRows<T>::copy_rows(const Csr<T>& csr, Index block, UntouchedArray<Column>& columns) {
  const SliceBlock& part = parts_[block];
  const Index first_row = this->blocks().rows(block).first;
  Index place = part.first_value, counted = part.first_step, number = part.first_slice;
  for_each_slice(csr, block, [&](const Slice& slice, Index at) {
    slices_[number++] = slice;
    for (Index j = 0; j < slice.longest; ++j) {
      Index lane = 0;
      for (; lane < slice.rows; ++lane) {
        const Index row = first_row + order_[at + lane];
        if (length_of(csr, row) <= j) break;
        const Index from = csr.row_offsets[row] + j;
        columns[place] = static_cast<Column>(csr.column_indices[from] - part.base);
        values_[place++] = csr.values[from];
      }
      if (j >= slice.shortest) active_[counted++] = static_cast<std::uint8_t>(lane);
    }
  });
}

template <typename T>
SlicedRows<T> SlicedRows<T>::from_csr(const Csr<T>& csr, const KernelOptions& options) {
  SlicedRows result(RowBlocks(csr.row_offsets), fast::threads_of(options));
  const RowBlocks& blocks = result.blocks();
  const int threads = fast::worthwhile_threads(fast::threads_of(options), csr.nonzeros());
  result.order_ = UntouchedArray<std::uint16_t>(csr.rows);
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
    result.parts_[block].base = *least;
    spans[block] = *most - *least;
  });
  for (Index block = 0; block < blocks.count(); ++block) {
    SliceBlock &part = result.parts_[block], &next = result.parts_[block + 1];
    next.first_slice += part.first_slice;
    next.first_step += part.first_step;
    next.first_value = csr.row_offsets[blocks.rows(block).last];
  }
  const bool narrow = std::ranges::all_of(
      spans, [](LocalIndex span) { return span <= std::numeric_limits<std::uint16_t>::max(); });
  result.slices_ = UntouchedArray<Slice>(result.parts_.back().first_slice);
  result.active_ = UntouchedArray<std::uint8_t>(result.parts_.back().first_step);
  result.values_ = UntouchedArray<T>(csr.nonzeros(), Use::rereading);
  if (narrow) {
    result.narrow_ = UntouchedArray<std::uint16_t>(csr.nonzeros(), Use::rereading);
  } else {
    result.wide_ = UntouchedArray<LocalIndex>(csr.nonzeros(), Use::rereading);
    for (SliceBlock& part : result.parts_) part.base = 0;
  }
  blocks.for_each(threads, [&](Index block) {
    narrow ? result.copy_rows(csr, block, result.narrow_)
           : result.copy_rows(csr, block, result.wide_);
  });
  return result;
}

template <typename T>
std::int64_t SlicedRows<T>::bytes() const {
  return slices_.bytes() + order_.bytes() + active_.bytes() + narrow_.bytes() + wide_.bytes() +
         values_.bytes() + static_cast<std::int64_t>(parts_.size() * sizeof(SliceBlock));
}

template <typename T>
template <typename Column>
void SlicedRows<T>::multiply_vector(Index block, const UntouchedArray<Column>& columns, const T* x,
                                    T* y) const {
  using V = fast::Vector<T, fast::lanes<T>>;
  constexpr Index lanes = fast::lanes<T>;
  const SliceBlock& part = parts_[block];
  const T* values = values_.data() + part.first_value;
  const Column* indices = columns.data() + part.first_value;
  const std::uint16_t* order = order_.data() + this->blocks().rows(block).first;
  const std::uint8_t* active = active_.data() + part.first_step;
  x += part.base;
  for (Index s = part.first_slice; s < parts_[block + 1].first_slice; ++s) {
    const Slice slice = slices_[s];
    if (slice.rows == 1) {
      T sum[1];
      fast::dot_rows<1>(values, 0, indices, slice.longest, x, sum);
      y[*order++] = sum[0];
      values += slice.longest;
      indices += slice.longest;
      continue;
    }
    V sum = {};
    for (Index j = 0; j < slice.shortest; ++j) {
      sum += fast::load<V>(values) * fast::gather(x, indices);
      values += lanes;
      indices += lanes;
    }
    for (Index j = slice.shortest; j < slice.longest; ++j) {
      const Index count = *active++;
      sum += fast::load_first(values, count) * fast::gather_first(x, indices, count);
      values += count;
      indices += count;
    }
    // Rows of one length are in their order.
    if (slice.rows == lanes && slice.shortest == slice.longest &&
        order[lanes - 1] - order[0] == lanes - 1) {
      fast::store(y + order[0], sum);
    } else {
      fast::scatter_first(y, order, slice.rows, sum);
    }
    order += slice.rows;
  }
}

template <typename T>
template <typename Column>
void SlicedRows<T>::multiply_columns(Index block, const UntouchedArray<Column>& indices, const T* x,
                                     T* y, Index columns) const {
  const SliceBlock& part = parts_[block];
  x += part.base * columns;
  fast::for_each_column_block<T, 8>(columns, [&]<int width, int count>(fast::ColumnBlock strip) {
    using V = fast::Vector<T, width>;
    Index place = part.first_value, counted = part.first_step;
    const std::uint16_t* order = order_.data() + this->blocks().rows(block).first;
    for (Index s = part.first_slice; s < parts_[block + 1].first_slice; ++s) {
      const Slice slice = slices_[s];
      const std::uint8_t* active = active_.data() + counted;
      Index summed = 0;
      for (Index lane = 0; lane < slice.rows; ++lane) {
        V sum[count] = {};
        Index k = place + lane;
        for (Index j = 0; j < slice.longest; ++j) {
          const Index taking_part = j < slice.shortest ? slice.rows : active[j - slice.shortest];
          if (taking_part <= lane) break;
          const T* x_row = x + static_cast<Index>(indices[k]) * columns + strip.first;
#pragma GCC unroll 8
          for (int v = 0; v < count; ++v) {
            sum[v] +=
                values_[k] * fast::load<V>(x_row + fast::vector_start<width, count>(v, strip.last));
          }
          k += taking_part;
          ++summed;
        }
        T* to = y + order[lane] * columns + strip.first;
        for (int v = 0; v < count; ++v) {
          fast::store(to + fast::vector_start<width, count>(v, strip.last), sum[v]);
        }
      }
      place += summed;
      counted += slice.longest - slice.shortest;
      order += slice.rows;
    }
  });
}

template <typename T>
void SlicedRows<T>::multiply_block(Index block, const T* x, T* y, Index columns, bool) const {
  if (columns == 1) {
    wide_.size() > 0 ? multiply_vector(block, wide_, x, y) : multiply_vector(block, narrow_, x, y);
  } else {
    wide_.size() > 0 ? multiply_columns(block, wide_, x, y, columns)
                     : multiply_columns(block, narrow_, x, y, columns);
  }
}

SPSOLVE_INSTANTIATE(class SlicedRows)

}  // namespace spsolve::multiply
