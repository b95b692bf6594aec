#include "sparse/pattern/off_diagonal_blocks.hpp"

#include <algorithm>

namespace spsolve::inline sparse {

OffDiagonalBlocks off_diagonal_blocks_of(const Csr<double>& matrix, const Fronts& fronts,
                                         const std::vector<LocalIndex>& block,
                                         const std::vector<LocalIndex>& row_place,
                                         const std::vector<LocalIndex>& column_place) {
  OffDiagonalBlocks result;
  if (block.empty()) return result;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (fronts.parent[s] == -1) result.roots.push_back(s);
  }
  std::stable_sort(result.roots.begin(), result.roots.end(), [&](LocalIndex a, LocalIndex b) {
    return block[fronts.first[a]] > block[fronts.first[b]];
  });
  std::vector<LocalIndex> row_at(row_place.size());
  for (std::size_t i = 0; i < row_at.size(); ++i) row_at[row_place[i]] = static_cast<LocalIndex>(i);
  result.starts.assign(1, 0);
  for (const LocalIndex root : result.roots) {
    const LocalIndex first = fronts.first[fronts.first_of_subtree[root]];
    for (LocalIndex row = first; row < fronts.first[root + 1]; ++row) {
      const Index i = row_at[row];
      for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
        const LocalIndex column = column_place[matrix.column_indices[k]];
        if (block[column] != block[row]) result.entries.push_back({k, row, column});
      }
    }
    result.starts.push_back(static_cast<Index>(result.entries.size()));
  }
  return result;
}

}  // namespace spsolve::sparse
