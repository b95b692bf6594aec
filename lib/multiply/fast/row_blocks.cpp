#include "multiply/fast/row_blocks.hpp"

namespace spsolve::inline multiply {

RowBlocks::RowBlocks(const std::vector<Index>& row_offsets)
    : rows_(static_cast<Index>(row_offsets.size()) - 1) {
  for (Index first = 0; first < rows_; first += rows_of_block) {
    const Index end = std::min(first + rows_of_block, rows_);
    steps_.push_back(end + row_offsets[end]);
  }
}

}  // namespace spsolve::multiply
