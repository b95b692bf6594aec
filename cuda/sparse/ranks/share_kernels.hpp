#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline sparse {

/// A rectangle of rows x columns, column-major in the arena, that is copied, or added to a block of
/// a shared front, in which row r and column c of it stand at row_places[r] and column_places[c]:
///
///     copy           to[r + c ld]
///     add_lower      to[row + column ld], unless (row, column) is above the diagonal blocks
///     add_upper      to[column + row ld], for the others
///     add_contribution  to[row + column ld]
///
/// where row and column count from `base_row` and `base_column`, and after the last pivot a row of
/// a panel stands `gap` further on.
struct FrontMove {
  enum : int { copy, add_lower, add_upper, add_contribution };
  int what = copy;
  int rows = 0, columns = 0;
  Index from = 0, to = 0;
  int ld_from = 0, ld_to = 0;
  Index row_places = 0, column_places = 0;  ///< in the list of places
  int base_row = 0, base_column = 0;
  int pivots = 0;  ///< of the front: rows from there on are its border
  int gap = 0;
  /// For symmetric factorisations: row r and column c are of the lower triangle where r + below is
  /// c or more; others are left out.
  bool symmetric = false;
  int below = 0;
};

/// Rows and columns of a piece of a rectangle that a thread block moves.
inline constexpr int share_tile = 64;

struct ShareTile {
  int move;
  int row, column;  ///< of tiles
};

/// Moves these pieces, of which no two have a place in common that they write to.
template <typename T>
void move_shares(const ShareTile* tiles, Index count, const FrontMove* moves, const int* places,
                 T* arena, cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
