#include "cuda/vectors/products/forms/band_long_rows.hpp"

namespace spsolve::cuda::inline vectors {

std::optional<BandLongRows> BandLongRows::of(std::span<const Index> row_offsets) {
  std::vector<Index> rows, piece_starts{0};
  for (std::size_t i = 0; i + 1 < row_offsets.size(); ++i) {
    const Index length = row_offsets[i + 1] - row_offsets[i];
    if (length <= most_of_shared_row) continue;
    rows.push_back(static_cast<Index>(i));
    piece_starts.push_back(piece_starts.back() +
                           (length + nonzeros_of_piece - 1) / nonzeros_of_piece);
  }
  if (rows.empty()) return std::nullopt;
  return BandLongRows(rows, piece_starts);
}

BandLongRows::BandLongRows(const std::vector<Index>& rows, const std::vector<Index>& piece_starts)
    : rows_(rows), piece_starts_(piece_starts), pieces_(piece_starts.back()) {}

BandLongRowsView BandLongRows::view(Index columns) {
  parts_.grow(pieces_ * columns * numbers_of_column);
  return {static_cast<int>(rows_.size()), rows_.data(), piece_starts_.data(), pieces_,
          parts_.data()};
}

}  // namespace spsolve::cuda::vectors
