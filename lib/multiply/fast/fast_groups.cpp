#include "multiply/fast/fast_groups.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "multiply/fast/fast_rows.hpp"
#include "multiply/kernel/fast_team.hpp"

namespace spsolve::inline multiply {

template <typename T>
std::vector<int> equal_row_groups(const Csr<T>& csr) {
  std::vector<int> groups;
  for (Index first = 0; first < csr.rows;) {
    const auto pattern = csr.row_columns(first);
    Index end = first + 1;
    while (end < csr.rows && std::ranges::equal(csr.row_columns(end), pattern)) ++end;
    const Index count = (end - first + most_rows_in_group - 1) / most_rows_in_group;
    for (Index g = 0; g < count; ++g) {
      groups.push_back(
          static_cast<int>((g + 1) * (end - first) / count - g * (end - first) / count));
    }
    first = end;
  }
  return groups;
}

template <typename T>
double grouping_of(const Csr<T>& csr) {
  Index stored = 0, row = 0;
  for (const int rows : equal_row_groups(csr)) {
    stored += csr.row_offsets[row + 1] - csr.row_offsets[row];
    row += rows;
  }
  return stored == 0 ? 1 : static_cast<double>(csr.nonzeros()) / static_cast<double>(stored);
}

template <typename T>
GroupedCsr<T> GroupedCsr<T>::from_csr(const Csr<T>& csr, const KernelOptions& options) {
  const std::vector<int> groups = equal_row_groups(csr);
  const auto group_count = static_cast<Index>(groups.size());
  GroupedCsr result;
  result.threads_ = fast::threads_of(options);
  result.nonzeros_ = csr.nonzeros();
  result.groups_ = UntouchedArray<Group>(group_count);
  result.values_ = UntouchedArray<T>(csr.nonzeros(), Use::rereading);
  // A part begins with the first group at or after its share of the path through rows and
  // non-zeros.
  const Index steps = csr.rows + csr.nonzeros();
  Index row = 0, stored = 0;
  bool narrow = true;
  for (Index g = 0; g < group_count; ++g) {
    const Index value = csr.row_offsets[row];
    while (result.pieces_.parts() < result.threads_ &&
           row + value >= fast::boundary(steps, result.pieces_.parts(), result.threads_)) {
      result.pieces_.begin_part();
    }
    const auto pattern = csr.row_columns(row);
    const Index steps_of_group = groups[g] * (static_cast<Index>(pattern.size()) + 1);
    const auto make = [&] { return GroupPiece{g, g, row, value, stored}; };
    ++result.pieces_.next(steps_of_group, make).last_group;
    narrow = narrow && (pattern.empty() || pattern.back() - pattern.front() <=
                                               std::numeric_limits<std::uint16_t>::max());
    stored += static_cast<Index>(pattern.size());
    row += groups[g];
  }
  while (result.pieces_.parts() < result.threads_) result.pieces_.begin_part();
  if (narrow) {
    result.narrow_ = UntouchedArray<std::uint16_t>(stored, Use::rereading);
  } else {
    result.wide_ = UntouchedArray<LocalIndex>(stored, Use::rereading);
  }
  fast::for_each_part(
      result.threads_, fast::worthwhile_threads(result.threads_, csr.nonzeros()), [&](int p) {
        result.pieces_.for_each(p, [&](const GroupPiece& piece) {
          Index i = piece.first_row, place = piece.first_column, value = piece.first_value;
          for (Index g = piece.first_group; g < piece.last_group; ++g) {
            const auto pattern = csr.row_columns(i);
            const LocalIndex base = narrow && !pattern.empty() ? pattern.front() : 0;
            result.groups_[g] = {static_cast<LocalIndex>(pattern.size()), base, groups[g]};
            for (const LocalIndex column : pattern) {
              if (narrow) {
                result.narrow_[place++] = static_cast<std::uint16_t>(column - base);
              } else {
                result.wide_[place++] = column;
              }
            }
            i += groups[g];
            for (; value < csr.row_offsets[i]; ++value) result.values_[value] = csr.values[value];
          }
        });
      });
  return result;
}

template <typename T>
std::int64_t GroupedCsr<T>::bytes() const {
  return groups_.bytes() + values_.bytes() + narrow_.bytes() + wide_.bytes() + pieces_.bytes();
}

/// work.template operator()<rows>(values, columns, length, x, y) for all groups of a part, x and y
/// pointing to the rows where the group's begin.
template <typename T>
template <typename Column, typename Columns, typename GroupWork>
[[gnu::always_inline]] inline void GroupedCsr<T>::for_each_group(
    int part, const UntouchedArray<Column>& indices, const T* x, T* y, Columns columns,
    GroupWork&& work) const {
  pieces_.for_each(
      part, [&](const GroupPiece& piece) __attribute__((always_inline)) {
        const T* values = values_.data() + piece.first_value;
        const Column* list = indices.data() + piece.first_column;
        T* to = y + piece.first_row * columns;
        for (Index g = piece.first_group; g < piece.last_group; ++g) {
          const Group group = groups_[g];
          const T* x_base = x + group.base * columns;
          fast::for_row_count(
              group.rows, [&]<int rows>() __attribute__((always_inline)) {
                work.template operator()<rows>(values, list, group.length, x_base, to);
              });
          values += static_cast<Index>(group.length) * group.rows;
          list += group.length;
          to += group.rows * columns;
        }
      });
}

template <typename T>
template <typename Column>
void GroupedCsr<T>::multiply_part(int part, const UntouchedArray<Column>& indices, const T* x, T* y,
                                  Index columns) const {
  if (columns == 1) {
    for_each_group(
        part, indices, x, y, 1,
        [=]<int rows>(const T* values, const Column* list, Index length, const T* x_base, T* to) {
          T sum[rows];
          fast::dot_rows<rows>(values, length, list, length, x_base, sum);
          for (int r = 0; r < rows; ++r) to[r] = sum[r];
        });
    return;
  }
  fast::for_each_column_block<T, 4>(columns, [&]<int width, int count>(fast::ColumnBlock block) {
    fast::with_row_of_x<width, count>(columns, block, [&](auto columns_of_x, auto last) {
      for_each_group(
          part, indices, x + block.first, y + block.first, columns_of_x,
          [=]<int rows>(const T* values, const Column* list, Index length, const T* x_base, T* to)
              __attribute__((always_inline)) {
                fast::Vector<T, width> sum[rows][count];
                fast::sum_rows<rows, width, count, 0>(values, length, list, length, x_base,
                                                      columns_of_x, last, sum);
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
void GroupedCsr<T>::multiply(const T* x, T* y, Index columns) {
  const int threads = fast::worthwhile_threads(threads_, nonzeros_ * columns);
  fast::for_each_part(threads_, threads, [&](int p) {
    if (wide_.size() > 0) {
      multiply_part(p, wide_, x, y, columns);
    } else {
      multiply_part(p, narrow_, x, y, columns);
    }
  });
  pieces_.turn();
}

SPSOLVE_INSTANTIATE_FUNCTION(equal_row_groups)
SPSOLVE_INSTANTIATE_FUNCTION(grouping_of)
SPSOLVE_INSTANTIATE(class GroupedCsr)

}  // namespace spsolve::multiply
