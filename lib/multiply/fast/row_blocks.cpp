#include "multiply/fast/row_blocks.hpp"

namespace spsolve::inline multiply {

RowBlocks::RowBlocks(const std::vector<Index>& row_offsets)
    : rows_(static_cast<Index>(row_offsets.size()) - 1) {
  constexpr Index enough_blocks = 16, least_rows = 64;
  while (rows_each_ > least_rows && rows_ < enough_blocks * rows_each_) rows_each_ /= 2;
  for (Index first = 0; first < rows_; first += rows_each_) {
    const Index end = std::min(first + rows_each_, rows_);
    steps_.push_back(end + row_offsets[end]);
  }
}

}  // namespace spsolve::multiply
