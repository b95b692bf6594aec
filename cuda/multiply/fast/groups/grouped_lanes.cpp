#include "cuda/multiply/fast/groups/grouped_lanes.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "cuda/core/nvtx.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

/// Columns that items are filled up to: enough to hide the end of an item, few enough to deal out.
constexpr Index item_columns = 32;

/// The contents of the items of one group size, on the host.
struct ItemList {
  std::vector<LaneItem> items;
  std::vector<LocalIndex> destinations;
  struct Source {
    Index row;    ///< first row of the group
    Index first;  ///< first non-zero in each of its rows
    Index columns;
    Index place;
  };
  std::vector<Source> sources;  ///< one per group
  Index size = 0;               ///< columns, with padding

  void add(Index row, Index first, Index columns, LocalIndex destination) {
    if (items.empty() || items.back().columns + columns > item_columns) {
      size = (size + lane_step - 1) / lane_step * lane_step;
      items.push_back({size, 0, static_cast<LocalIndex>(destinations.size())});
    }
    sources.push_back({row, first, columns, size});
    destinations.push_back(destination);
    items.back().columns += static_cast<LocalIndex>(columns);
    size += columns;
  }
};

template <typename T>
LaneGroups<T> to_device(const ItemList& list, const Csr<T>& matrix, int group_rows) {
  constexpr LocalIndex last_mark = std::numeric_limits<LocalIndex>::min();
  LaneGroups<T> result;
  if (list.items.empty()) return result;
  const Index size = (list.size + lane_step - 1) / lane_step * lane_step;
  std::vector<LocalIndex> columns(size);
  std::vector<T> values(size * group_rows);
  const auto groups = static_cast<Index>(list.sources.size());
#pragma omp parallel for schedule(static)
  for (Index g = 0; g < groups; ++g) {
    const ItemList::Source& source = list.sources[g];
    for (Index j = 0; j < source.columns; ++j) {
      for (int q = 0; q < group_rows; ++q) {
        values[(source.place + j) * group_rows + q] =
            matrix.values[matrix.row_offsets[source.row + q] + source.first + j];
      }
      columns[source.place + j] =
          matrix.column_indices[matrix.row_offsets[source.row] + source.first + j];
    }
    columns[source.place + source.columns - 1] |= last_mark;
  }
  result.items = DeviceArray<LaneItem>(list.items);
  result.destinations = DeviceArray<LocalIndex>(list.destinations);
  result.columns = DeviceArray<LocalIndex>(columns);
  result.values = DeviceArray<T>(values);
  return result;
}

}  // namespace

template <typename T>
GroupedLanes<T> GroupedLanes<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  const NvtxRange range("convert to grouped lanes");
  if (matrix.rows > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::input,
         "grouped_lanes numbers rows by 32 bits; {} are too many, take sliced_rows", matrix.rows);
  }
  // A piece is as long as two average rows, so that no item takes much longer than the others.
  const Index mean = matrix.rows == 0 ? 0 : matrix.nonzeros() / matrix.rows;
  const Index longest = std::max(2 * item_columns, 2 * mean);
  const RowGroups groups = row_groups_of(matrix, longest);
  GroupedLanes result;
  result.rows = matrix.rows;
  // Few items leave lanes idle; single rows have few sums to keep for each row of X they read.
  constexpr std::size_t few_items = 50'000;
  std::size_t items = 0;
  bool single = true;
  CutRowList cut;
  std::vector<Index> empty_rows;
  for (std::size_t r = 0; r < groups.size(); ++r) {
    ItemList list;
    for (const Index row : groups[r]) {
      const Index length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
      if (length == 0) {
        for (std::size_t q = 0; q <= r; ++q) empty_rows.push_back(row + static_cast<Index>(q));
      } else if (length <= longest) {
        list.add(row, 0, length, static_cast<LocalIndex>(row));
      } else {
        const Index pieces = pieces_of(length, longest);
        for (Index p = 0; p < pieces; ++p) {
          const Index from = p * length / pieces, to = (p + 1) * length / pieces;
          list.add(row, from, to - from, static_cast<LocalIndex>(-1 - (cut.count() + p)));
        }
        cut.rows.push_back(row);
        cut.pieces.push_back(static_cast<LocalIndex>(cut.count() + pieces));
      }
    }
    items += list.items.size();
    single = single && (r == 0 || list.items.empty());
    result.groups[r] = to_device(list, matrix, static_cast<int>(r) + 1);
  }
  result.spread = single || items < few_items;
  result.cut = CutRows<T>::from_list(cut);
  result.empty_rows = DeviceArray<Index>(empty_rows);
  return result;
}

template <typename T>
std::int64_t GroupedLanes<T>::bytes() const {
  std::int64_t sum = cut.bytes() + empty_rows.bytes();
  for (const auto& part : groups) sum += part.bytes();
  return sum;
}

SPSOLVE_INSTANTIATE(struct GroupedLanes)

}  // namespace spsolve::cuda::multiply
