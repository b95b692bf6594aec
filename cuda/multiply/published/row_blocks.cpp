#include "cuda/multiply/published/csr_kernels.hpp"

namespace spsolve::cuda::inline multiply {

std::vector<Index> row_blocks_of(std::span<const Index> row_offsets) {
  const Index rows = static_cast<Index>(row_offsets.size()) - 1;
  std::vector<Index> blocks{0};
  for (Index row = 0; row < rows; ++row) {
    const Index first = blocks.back();
    const bool fits = row_offsets[row + 1] - row_offsets[first] <= row_block_entries &&
                      row + 1 - first <= row_block_entries;
    if (!fits && row > first) blocks.push_back(row);
  }
  if (rows > 0) blocks.push_back(rows);
  return blocks;
}

}  // namespace spsolve::cuda::multiply
