#include "multiply/fast/fast_symmetric.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "multiply/fast/fast_rows.hpp"
#include "multiply/fast/fast_symmetric_rows.hpp"
#include "multiply/kernel/fast_team.hpp"
#include "multiply/kernel/row_groups.hpp"

namespace spsolve::inline multiply {

namespace {

/// The columns of row i left of column `end`.
template <typename T>
std::span<const LocalIndex> columns_before(const Csr<T>& csr, Index i, Index end) {
  const auto row = csr.row_columns(i);
  const auto stop = std::lower_bound(row.begin(), row.end(), end);
  return row.first(static_cast<std::size_t>(stop - row.begin()));
}

/// Whether row i has exactly `left` and all of first ... i as its columns up to the diagonal.
template <typename T>
bool continues_group(const Csr<T>& csr, Index i, Index first, std::span<const LocalIndex> left) {
  const auto row = csr.row_columns(i);
  const auto inside = static_cast<std::size_t>(i - first + 1);
  if (row.size() < left.size() + inside) return false;
  // Columns ascend: if the last of these is i and none of the first lies right of the group's
  // start, the ones between are first ... i.
  if (row[left.size() + inside - 1] != i || row[left.size()] != first) return false;
  return std::equal(left.begin(), left.end(), row.begin());
}

/// Elements of a page, within which the processor first compares the addresses of loads and stores.
template <typename T>
constexpr Index page = 4096 / sizeof(T);

constexpr Index triangle_size(int rows) {
  return rows * (rows + 1) / 2;
}

/// work(first, count, y) for the columns of a group outside of its part, which add to the overlap,
/// if there are any, and then for those inside: in a loop, so that it is compiled once.
template <typename T, typename Work>
[[gnu::always_inline]] inline void for_each_side(Index outside, Index length, T* y, T* overlap,
                                                 const Work& work) {
  Index first = 0, end = outside > 0 ? outside : length;
  T* to = outside > 0 ? overlap : y;
#pragma GCC unroll 1
  while (true) {
    work(first, end - first, to);
    if (end == length) return;
    first = end;
    end = length;
    to = y;
  }
}

}  // namespace

template <typename T>
std::vector<typename SymmetricHalves<T>::Group> SymmetricHalves<T>::find_groups(const Csr<T>& csr) {
  std::vector<Group> groups;
  for (Index first = 0; first < csr.rows;) {
    const auto left = columns_before(csr, first, first);
    Index end = first + 1;
    const bool diagonal = continues_group(csr, first, first, left);
    if (diagonal) {
      while (end < csr.rows && continues_group(csr, end, first, left)) ++end;
    }
    const Index count = (end - first + most_rows_in_group - 1) / most_rows_in_group;
    for (Index g = 0; g < count; ++g) {
      const Index begin = g * (end - first) / count, stop = (g + 1) * (end - first) / count;
      const auto length = static_cast<LocalIndex>(static_cast<Index>(left.size()) + begin);
      groups.push_back({length, 0, 0, static_cast<std::int16_t>(stop - begin),
                        static_cast<std::int16_t>(diagonal)});
    }
    first = end;
  }
  return groups;
}

/// Cuts the groups into parts and allocates all arrays.
template <typename T>
void SymmetricHalves<T>::share_out(const Csr<T>& csr, const std::vector<Group>& groups) {
  const auto cost = [](const Group& group) {
    return (static_cast<Index>(group.length) + 2) * group.rows;
  };
  Index total = 0;
  bool narrow = true;
  Index row = 0;
  for (const Group& group : groups) {
    total += cost(group);
    if (group.length > 0) {
      const auto columns = csr.row_columns(row).first(static_cast<std::size_t>(group.length));
      narrow =
          narrow && columns.back() - columns.front() <= std::numeric_limits<std::uint16_t>::max();
    }
    row += group.rows;
  }
  ThreadPart at;
  Index done = 0;
  for (const Group& group : groups) {
    while (static_cast<int>(parts_.size()) < threads_ &&
           done >= fast::boundary(total, static_cast<int>(parts_.size()), threads_)) {
      parts_.push_back(at);
    }
    done += cost(group);
    at.first_row += group.rows;
    at.first_value += static_cast<Index>(group.length) * group.rows;
    at.first_column += group.length;
    at.first_triangle += group.triangle != 0 ? triangle_size(group.rows) : 0;
    ++at.first_group;
  }
  while (static_cast<int>(parts_.size()) < threads_) parts_.push_back(at);
  for (int p = 0; p < threads_; ++p) {
    const ThreadPart& next = p + 1 < threads_ ? parts_[p + 1] : at;
    parts_[p].last_group = next.first_group;
    parts_[p].last_row = next.first_row;
  }
  nonzeros_ = at.first_value + at.first_triangle;
  groups_ = UntouchedArray<Group>(at.first_group);
  values_ = UntouchedArray<T>(at.first_value, Use::rereading);
  triangles_ = UntouchedArray<T>(at.first_triangle);
  if (narrow) {
    narrow_ = UntouchedArray<std::uint16_t>(at.first_column, Use::rereading);
  } else {
    wide_ = UntouchedArray<LocalIndex>(at.first_column, Use::rereading);
  }
}

/// Fills a part's pieces of all arrays, and its lowest column.
template <typename T>
template <typename Column>
void SymmetricHalves<T>::copy(const Csr<T>& csr, const std::vector<Group>& groups, ThreadPart& part,
                              UntouchedArray<Column>& indices) {
  Index row = part.first_row, value = part.first_value, place = part.first_column;
  Index triangle = part.first_triangle;
  part.lowest = part.first_row;
  for (Index g = part.first_group; g < part.last_group; ++g) {
    Group group = groups[g];
    const auto left = csr.row_columns(row).first(static_cast<std::size_t>(group.length));
    if (!left.empty()) {
      group.base = std::is_same_v<Column, LocalIndex> ? 0 : left.front();
      part.lowest = std::min<Index>(part.lowest, left.front());
    }
    group.outside = static_cast<LocalIndex>(
        std::lower_bound(left.begin(), left.end(), part.first_row) - left.begin());
    for (const LocalIndex column : left) {
      indices[place++] = static_cast<Column>(column - group.base);
    }
    for (Index r = 0; r < group.rows; ++r) {
      const auto row_values = csr.row_values(row + r);
      value =
          std::copy_n(row_values.begin(), group.length, values_.data() + value) - values_.data();
      if (group.triangle == 0) continue;
      for (Index s = 0; s <= r; ++s) triangles_[triangle++] = row_values[group.length + s];
    }
    groups_[g] = group;
    row += group.rows;
  }
}

template <typename T>
SymmetricHalves<T> SymmetricHalves<T>::from_csr(const Csr<T>& csr, const KernelOptions& options) {
  SymmetricHalves result;
  result.threads_ = fast::threads_of(options);
  const std::vector<Group> groups = find_groups(csr);
  result.share_out(csr, groups);
  fast::for_each_part(result.threads_, fast::worthwhile_threads(result.threads_, csr.nonzeros()),
                      [&](int p) {
                        if (result.wide_.size() > 0) {
                          result.copy(csr, groups, result.parts_[p], result.wide_);
                        } else {
                          result.copy(csr, groups, result.parts_[p], result.narrow_);
                        }
                      });
  for (ThreadPart& part : result.parts_) {
    part.overlap = result.overlap_rows_;
    result.overlap_rows_ += part.first_row - part.lowest;
  }
  result.make_room(std::max<Index>(1, options.columns));
  return result;
}

template <typename T>
std::int64_t SymmetricHalves<T>::bytes() const {
  return groups_.bytes() + values_.bytes() + triangles_.bytes() + narrow_.bytes() + wide_.bytes();
}

/// work.template operator()<rows>(group, values, triangle, list, x, y, overlap, own_x, own_y) for
/// all groups of a part; x, y and overlap point to where column 0 of the list lies.
template <typename T>
template <typename Column, typename GroupWork>
inline void SymmetricHalves<T>::for_each_group(const ThreadPart& part,
                                               const UntouchedArray<Column>& indices, const T* x,
                                               T* y, T* overlap, Index columns,
                                               GroupWork&& work) const {
  const T* values = values_.data() + part.first_value;
  const T* triangle = triangles_.data() + part.first_triangle;
  const Column* list = indices.data() + part.first_column;
  Index row = part.first_row;
  for (Index g = part.first_group; g < part.last_group; ++g) {
    const Group group = groups_[g];
    const Index base = group.base * columns;
    fast::for_row_count(group.rows, [&]<int rows>() {
      work.template operator()<rows>(group, values, triangle, list, x + base, y + base,
                                     overlap + base, x + row * columns, y + row * columns);
    });
    values += static_cast<Index>(group.length) * group.rows;
    triangle += group.triangle != 0 ? triangle_size(group.rows) : 0;
    list += group.length;
    row += group.rows;
  }
}

/// Allocates overlaps for that many columns of X.
template <typename T>
void SymmetricHalves<T>::make_room(Index columns) {
  const Index size = overlap_rows_ * columns + threads_ * page<T>;
  if (overlaps_.size() < size) overlaps_ = UntouchedArray<T>(size);
}

/// Where row 0 of y would lie if the overlap of part p were all of it; only rows lowest ...
/// first_row - 1 are there. Its rows lie at the same places within a page as those of X, so that a
/// store to one of them does not resemble the next load of a row of X (see allocate_untouched()).
template <typename T>
T* SymmetricHalves<T>::overlap_of(int p, const T* x, Index columns) const {
  const ThreadPart& part = parts_[p];
  const auto place = [](const T* address) {
    return static_cast<Index>(reinterpret_cast<std::uintptr_t>(address) / sizeof(T)) % page<T>;
  };
  const T* start = overlaps_.data() + part.overlap * columns + p * page<T>;
  const Index shift = (place(x + part.lowest * columns) - place(start) + page<T>) % page<T>;
  return const_cast<T*>(start) + shift - part.lowest * columns;
}

template <typename T>
template <typename Column>
void SymmetricHalves<T>::multiply_part(int p, const UntouchedArray<Column>& indices, const T* x,
                                       T* y, Index columns) {
  const ThreadPart& part = parts_[p];
  T* overlap = overlap_of(p, x, columns);
  std::fill(overlap + part.lowest * columns, overlap + part.first_row * columns, T{});
  if (columns == 1) {
    for_each_group(
        part, indices, x, y, overlap, 1,
        [=]<int rows>(const Group& group, const T* values, const T* triangle, const Column* list,
                      const T* x_base, T* y_base, T* overlap_base, const T* own_x, T* own_y) {
          T mine[rows], sum[rows];
          for (int r = 0; r < rows; ++r) {
            mine[r] = own_x[r];
            sum[r] = 0;
          }
          if (group.triangle != 0) {
            for (int r = 0; r < rows; ++r) {
              for (int s = 0; s <= r; ++s) {
                const T value = *triangle++;
                sum[r] += value * mine[s];
                if (s < r) sum[s] += value * mine[r];
              }
            }
          }
          const Index length = group.length, outside = group.outside;
          if (outside > 0) {
            fast::mirror_dots<rows>(values, length, list, outside, x_base, overlap_base, mine, sum);
          }
          fast::mirror_dots<rows>(values + outside, length, list + outside, length - outside,
                                  x_base, y_base, mine, sum);
          for (int r = 0; r < rows; ++r) own_y[r] = sum[r];
        });
    return;
  }
  fast::for_each_column_block<T, 4>(columns, [&]<int width, int count>(fast::ColumnBlock block) {
    const Index first = block.first;
    for_each_group(
        part, indices, x + first, y + first, overlap + first, columns,
        [=, last = block.last]<int rows>(const Group& group, const T* values, const T* triangle,
                                         const Column* list, const T* x_base, T* y_base,
                                         T* overlap_base, const T* own_x, T* own_y) {
          using V = fast::Vector<T, width>;
          V mine[rows][count], sum[rows][count];
          for (int r = 0; r < rows; ++r) {
            for (int v = 0; v < count; ++v) {
              mine[r][v] =
                  fast::load<V>(own_x + r * columns + fast::vector_start<width, count>(v, last));
              sum[r][v] = V{};
            }
          }
          if (group.triangle != 0) {
            for (int r = 0; r < rows; ++r) {
              for (int s = 0; s <= r; ++s) {
                const T value = *triangle++;
                for (int v = 0; v < count; ++v) {
                  sum[r][v] += value * mine[s][v];
                  if (s < r) sum[s][v] += value * mine[r][v];
                }
              }
            }
          }
          const Index length = group.length, outside = group.outside;
          for_each_side(
              outside, length, y_base,
              overlap_base, [&](Index begin, Index many, T * to) __attribute__((always_inline)) {
                fast::mirror_sums<rows, width, count>(values + begin, length, list + begin, many,
                                                      x_base, to, columns, last, mine, sum);
              });
          for (int r = 0; r < rows; ++r) {
            for (int v = 0; v < count; ++v) {
              fast::store(own_y + r * columns + fast::vector_start<width, count>(v, last),
                          sum[r][v]);
            }
          }
        });
  });
}

/// Adds what lies in one slice of y of all overlaps, in the order of the parts.
template <typename T>
void SymmetricHalves<T>::add_overlaps(int slice, const T* x, T* y, Index columns) const {
  Index lowest = std::numeric_limits<Index>::max(), highest = 0;
  for (const ThreadPart& part : parts_) {
    if (part.lowest == part.first_row) continue;
    lowest = std::min(lowest, part.lowest);
    highest = std::max(highest, part.first_row);
  }
  const Index first = lowest + fast::boundary(highest - lowest, slice, threads_);
  const Index end = lowest + fast::boundary(highest - lowest, slice + 1, threads_);
  for (int p = 0; p < threads_; ++p) {
    const ThreadPart& part = parts_[p];
    const Index from = std::max(first, part.lowest), to = std::min(end, part.first_row);
    const T* overlap = overlap_of(p, x, columns);
    for (Index k = from * columns; k < to * columns; ++k) y[k] += overlap[k];
  }
}

template <typename T>
void SymmetricHalves<T>::multiply(const T* x, T* y, Index columns) {
  make_room(columns);
  const int threads = fast::worthwhile_threads(threads_, nonzeros_ * columns);
  const auto part_work = [&](int p) {
    if (wide_.size() > 0) {
      multiply_part(p, wide_, x, y, columns);
    } else {
      multiply_part(p, narrow_, x, y, columns);
    }
  };
  if (overlap_rows_ == 0) {
    fast::for_each_part(threads_, threads, part_work);
  } else {
    fast::for_each_part(threads_, threads, part_work,
                        [&](int slice) { add_overlaps(slice, x, y, columns); });
  }
}

SPSOLVE_INSTANTIATE(class SymmetricHalves)

}  // namespace spsolve::multiply
