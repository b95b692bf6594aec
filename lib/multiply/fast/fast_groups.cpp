#include "multiply/fast/fast_groups.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "multiply/fast/fast_rows.hpp"

namespace spsolve::inline multiply {

template <typename T>
template <typename Column>
void GroupedCsr<T>::copy_rows(const Csr<T>& csr, Index block, UntouchedArray<Column>& indices) {
  const GroupBlock& part = parts_[block];
  const Range rows = this->blocks().rows(block);
  Index row = rows.first, place = part.first_column;
  for (Index g = part.first_group; g < parts_[block + 1].first_group; ++g) {
    const auto pattern = csr.row_columns(row);
    const bool narrow = std::is_same_v<Column, std::uint16_t>;
    groups_[g].base = narrow && !pattern.empty() ? pattern.front() : 0;
    groups_[g].length = static_cast<LocalIndex>(pattern.size());
    for (const LocalIndex column : pattern) {
      indices[place++] = static_cast<Column>(column - groups_[g].base);
    }
    row += groups_[g].rows;
  }
  std::copy(csr.values.begin() + csr.row_offsets[rows.first],
            csr.values.begin() + csr.row_offsets[rows.last], values_.data() + part.first_value);
}

template <typename T>
GroupedCsr<T> GroupedCsr<T>::from_csr(const Csr<T>& csr, const KernelOptions& options) {
  GroupedCsr result(RowBlocks(csr.row_offsets), fast::threads_of(options));
  const RowBlocks& blocks = result.blocks();
  const int threads = fast::worthwhile_threads(fast::threads_of(options), csr.nonzeros());
  result.parts_.resize(static_cast<std::size_t>(blocks.count() + 1));
  std::vector<std::vector<int>> groups(static_cast<std::size_t>(blocks.count()));
  std::vector<LocalIndex> spans(static_cast<std::size_t>(blocks.count()));
  blocks.for_each(threads, [&](Index block) {
    groups[block] = equal_groups_of(csr, blocks.rows(block));
    Index row = blocks.rows(block).first;
    for (const int rows : groups[block]) {
      const auto pattern = csr.row_columns(row);
      result.parts_[block + 1].first_column += static_cast<Index>(pattern.size());
      if (!pattern.empty()) {
        spans[block] = std::max(spans[block], pattern.back() - pattern.front());
      }
      row += rows;
    }
  });
  for (Index block = 0; block < blocks.count(); ++block) {
    const GroupBlock& part = result.parts_[block];
    GroupBlock& next = result.parts_[block + 1];
    next.first_group = part.first_group + std::ssize(groups[block]);
    next.first_column += part.first_column;
    next.first_value = csr.row_offsets[blocks.rows(block).last];
  }
  const bool narrow = std::ranges::all_of(
      spans, [](LocalIndex span) { return span <= std::numeric_limits<std::uint16_t>::max(); });
  const GroupBlock& all = result.parts_.back();
  result.groups_ = UntouchedArray<Group>(all.first_group);
  result.values_ = UntouchedArray<T>(csr.nonzeros(), Use::rereading);
  if (narrow) {
    result.narrow_ = UntouchedArray<std::uint16_t>(all.first_column, Use::rereading);
  } else {
    result.wide_ = UntouchedArray<LocalIndex>(all.first_column, Use::rereading);
  }
  blocks.for_each(threads, [&](Index block) {
    Index number = result.parts_[block].first_group;
    for (const int rows : groups[block]) result.groups_[number++].rows = rows;
    narrow ? result.copy_rows(csr, block, result.narrow_)
           : result.copy_rows(csr, block, result.wide_);
  });
  return result;
}

template <typename T>
std::int64_t GroupedCsr<T>::bytes() const {
  return groups_.bytes() + values_.bytes() + narrow_.bytes() + wide_.bytes() +
         static_cast<std::int64_t>(parts_.size() * sizeof(GroupBlock));
}

/// work.template operator()<rows>(values, columns, length, x, y) for all groups of a block, x and y
/// pointing to the rows where the group's begin.
template <typename T>
template <typename Column, typename Columns, typename GroupWork>
[[gnu::always_inline]] inline void GroupedCsr<T>::for_each_group(
    Index block, const UntouchedArray<Column>& indices, const T* x, T* y, Columns columns,
    GroupWork&& work) const {
  const GroupBlock& part = parts_[block];
  const T* values = values_.data() + part.first_value;
  const Column* list = indices.data() + part.first_column;
  for (Index g = part.first_group; g < parts_[block + 1].first_group; ++g) {
    const Group group = groups_[g];
    const T* x_base = x + group.base * columns;
    fast::for_row_count(
        group.rows, [&]<int rows>() __attribute__((always_inline)) {
          work.template operator()<rows>(values, list, group.length, x_base, y);
        });
    values += static_cast<Index>(group.length) * group.rows;
    list += group.length;
    y += group.rows * columns;
  }
}

template <typename T>
template <typename Column>
void GroupedCsr<T>::multiply_rows(Index block, const UntouchedArray<Column>& indices, const T* x,
                                  T* y, Index columns) const {
  if (columns == 1) {
    for_each_group(
        block, indices, x, y, 1,
        [=]<int rows>(const T* values, const Column* list, Index length, const T* x_base, T* to) {
          T sum[rows];
          fast::dot_rows<rows>(values, length, list, length, x_base, sum);
          for (int r = 0; r < rows; ++r) to[r] = sum[r];
        });
    return;
  }
  fast::for_each_column_block<T, 4>(columns, [&]<int width, int count>(fast::ColumnBlock strip) {
    fast::with_row_of_x<T, width, count>(columns, strip, [&](auto columns_of_x, auto last) {
      for_each_group(
          block, indices, x + strip.first, y + strip.first, columns_of_x,
          [=]<int rows>(const T* values, const Column* list, Index length, const T* x_base,
                        T* to) __attribute__((always_inline)) {
            fast::Vector<T, width> sum[rows][count];
            fast::sum_rows<rows, width, count>(values, length, list, length, x_base, columns_of_x,
                                               last, std::integral_constant<Index, 0>(), sum);
            for (int r = 0; r < rows; ++r) {
              for (int v = 0; v < count; ++v) {
                fast::store(to + r * columns_of_x + fast::vector_start<width, count>(v, last),
                            sum[r][v]);
              }
            }
          });
    });
  });
}

template <typename T>
void GroupedCsr<T>::multiply_block(Index block, const T* x, T* y, Index columns, bool) const {
  wide_.size() > 0 ? multiply_rows(block, wide_, x, y, columns)
                   : multiply_rows(block, narrow_, x, y, columns);
}

SPSOLVE_INSTANTIATE(class GroupedCsr)

}  // namespace spsolve::multiply
