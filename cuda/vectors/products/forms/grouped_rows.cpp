#include "cuda/vectors/products/forms/grouped_rows.hpp"

#include <algorithm>
#include <vector>

#include "cuda/multiply/fast/groups/row_groups.hpp"

namespace spsolve::cuda::inline vectors {

std::optional<GroupedRows> GroupedRows::of(const Csr<double>& host) {
  constexpr Index long_row = 256, times_mean = 16;
  if (host.nonzeros() == 0) return std::nullopt;
  const Index longest_allowed = std::max(long_row, times_mean * (host.nonzeros() / host.rows));
  std::vector<LocalIndex> firsts{0};
  Index read = 0, longest = 0, row = 0;
  GroupedRows result;
  for (const int rows : equal_row_groups(host)) {
    const Index length = host.row_offsets[row + 1] - host.row_offsets[row];
    read += length;
    longest = std::max(longest, length);
    result.most_ = std::max(result.most_, rows);
    row += rows;
    firsts.push_back(static_cast<LocalIndex>(row));
  }
  if (longest > longest_allowed ||
      static_cast<double>(host.nonzeros()) < worthwhile_groups * static_cast<double>(read)) {
    return std::nullopt;
  }
  result.firsts_ = DeviceArray<LocalIndex>(firsts);
  return result;
}

GroupedRows GroupedRows::of_equal(Index rows, int together) {
  std::vector<LocalIndex> firsts;
  for (Index first = 0; first < rows; first += together) {
    for (int row = 0; row < together; row += most_rows_in_group) {
      firsts.push_back(static_cast<LocalIndex>(first + row));
    }
  }
  firsts.push_back(static_cast<LocalIndex>(rows));
  GroupedRows result;
  result.most_ = std::min(together, most_rows_in_group);
  result.firsts_ = DeviceArray<LocalIndex>(firsts);
  return result;
}

}  // namespace spsolve::cuda::vectors
