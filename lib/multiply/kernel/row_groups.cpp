#include "multiply/kernel/row_groups.hpp"

#include <algorithm>

#include "core/scalar.hpp"

namespace spsolve::inline multiply {

template <typename T>
std::vector<int> equal_groups_of(const Csr<T>& csr, Range rows) {
  std::vector<int> groups;
  for (Index first = rows.first; first < rows.last;) {
    const auto pattern = csr.row_columns(first);
    Index end = first + 1;
    while (end < rows.last && std::ranges::equal(csr.row_columns(end), pattern)) ++end;
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
std::vector<int> equal_row_groups(const Csr<T>& csr) {
  return equal_groups_of(csr, {0, csr.rows});
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

SPSOLVE_INSTANTIATE_FUNCTION(equal_groups_of)
SPSOLVE_INSTANTIATE_FUNCTION(equal_row_groups)
SPSOLVE_INSTANTIATE_FUNCTION(grouping_of)

}  // namespace spsolve::multiply
