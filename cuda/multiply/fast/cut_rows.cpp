#include "cuda/multiply/fast/cut_rows.hpp"

namespace spsolve::cuda::inline multiply {

CutRowList cut_long_rows(std::span<const Index> row_offsets, Index limit, Index most) {
  CutRowList list;
  for (std::size_t row = 0; row + 1 < row_offsets.size(); ++row) {
    const Index length = row_offsets[row + 1] - row_offsets[row];
    if (length <= limit) continue;
    list.rows.push_back(static_cast<Index>(row));
    list.pieces.push_back(static_cast<LocalIndex>(list.count() + pieces_of(length, most)));
  }
  return list;
}

}  // namespace spsolve::cuda::multiply
