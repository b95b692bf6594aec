#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline sparse {

/// Off-diagonal entries of a row beyond which thread blocks share it, and of a piece for one of
/// them: a supply rail of a circuit has tens of thousands.
inline constexpr Index most_of_short_row = 64, off_diagonal_blocks_of_piece = 256;

/// Entries of A between blocks that are solved with one after another, by their rows: entry e of
/// row r has the value values[sources[e]] and the column columns[e].
struct DeviceOffDiagonalBlocks {
  const int* rows;
  const Index* starts;  ///< rows + 1
  const int* columns;
  const Index* sources;
  const Index* piece_starts;  ///< of each row among all pieces, rows + 1; short rows have none
  const int* piece_rows;      ///< the row of each piece
};

/// Takes off b's rows that are named by rows begin ... end of the off-diagonal blocks the products
/// of these with these columns of x. `pieces`: those of these rows; `parts` has room for the sums
/// of each.
template <typename T>
void subtract_off_diagonal_blocks(const DeviceOffDiagonalBlocks& off_diagonal_blocks,
                                  const double* values, Range rows, Range pieces, int columns,
                                  const T* x, T* b, T* parts, cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
