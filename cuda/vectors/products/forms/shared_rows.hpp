#pragma once

#include "cuda/multiply/fast/cut_rows.hpp"

namespace spsolve::cuda::inline vectors {

/// Non-zeros of a row beyond which thread blocks share it, and of a piece for one of them: supply
/// rails of circuits and hubs of graphs have tens of thousands among rows of three.
inline constexpr Index most_of_shared_row = 2048, nonzeros_of_piece = 1024;

/// Numbers that a piece adds up for each column, at most.
inline constexpr Index numbers_of_column = 4;

/// The rows with these offsets that thread blocks share.
inline CutRows<double> shared_rows(std::span<const Index> row_offsets) {
  return CutRows<double>::from_list(
      cut_long_rows(row_offsets, most_of_shared_row, nonzeros_of_piece));
}

}  // namespace spsolve::cuda::vectors
