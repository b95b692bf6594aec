#include "cuda/multiply/fast/groups/row_groups.hpp"

namespace spsolve::cuda::inline multiply {

template <typename T>
RowGroups row_groups_of(const Csr<T>& matrix, Index longest) {
  RowGroups groups;
  const auto length = [&](Index row) {
    return matrix.row_offsets[row + 1] - matrix.row_offsets[row];
  };
  const std::vector<int> sizes = equal_row_groups(matrix);
  Index stored = 0, row = 0;
  for (const int rows : sizes) {
    stored += length(row);
    row += rows;
  }
  const bool grouped =
      static_cast<double>(matrix.nonzeros()) > worthwhile_groups * static_cast<double>(stored);
  row = 0;
  for (const int rows : sizes) {
    if (grouped && length(row) <= longest) {
      groups[static_cast<std::size_t>(rows) - 1].push_back(row);
    } else {
      for (int r = 0; r < rows; ++r) groups[0].push_back(row + r);
    }
    row += rows;
  }
  return groups;
}

SPSOLVE_INSTANTIATE_FUNCTION(row_groups_of)

}  // namespace spsolve::cuda::multiply
