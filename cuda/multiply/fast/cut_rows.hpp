#pragma once

#include <span>
#include <vector>

#include "cuda/core/device_array.hpp"

namespace spsolve::cuda::inline multiply {

/// Where rows too long for one thread or block were cut into pieces: their sums are kept apart and
/// added up, in order, by a second pass. On the host while a format is built.
struct CutRowList {
  std::vector<Index> rows;            ///< places in Y
  std::vector<LocalIndex> pieces{0};  ///< rows + 1: first piece of each
  LocalIndex count() const { return pieces.back(); }
};

/// CutRows as kernels take them.
template <typename T>
struct CutRowsView {
  int count;                 ///< rows
  const Index* rows;         ///< ascending
  const LocalIndex* pieces;  ///< count + 1: first piece of each
  LocalIndex all;            ///< of all rows
  T* sums;
};

/// Cut rows in GPU memory, with room for the sums.
template <typename T>
struct CutRows {
  DeviceArray<Index> rows;
  DeviceArray<LocalIndex> pieces;
  LocalIndex count = 0;  ///< of all pieces
  DeviceArray<T> sums;   ///< of each piece, grows with K

  static CutRows from_list(const CutRowList& list) {
    CutRows result;
    if (list.rows.empty()) return result;
    result.rows = DeviceArray<Index>(list.rows);
    result.pieces = DeviceArray<LocalIndex>(list.pieces);
    result.count = list.count();
    return result;
  }
  /// With room for so many sums of a piece.
  CutRowsView<T> view(Index sums_of_piece) {
    sums.grow(count * sums_of_piece);
    return {static_cast<int>(rows.size()), rows.data(), pieces.data(), count, sums.data()};
  }
  std::int64_t bytes() const { return rows.bytes() + pieces.bytes() + sums.bytes(); }
};

/// The number of pieces of at most `most` non-zeros that a row of `length` is cut into.
constexpr Index pieces_of(Index length, Index most) {
  return (length + most - 1) / most;
}

/// The rows with more than `limit` non-zeros, cut into pieces of at most `most`.
CutRowList cut_long_rows(std::span<const Index> row_offsets, Index limit, Index most);

/// y[row * columns + c] = the sum of the row's pieces, for all cut rows and c < columns: a block
/// per row, its warps share the pieces. On the current stream. A row without pieces is set to zero.
template <typename T>
void add_pieces(const CutRows<T>& cut, T* y, Index columns);

/// y[row * columns + c] = 0 for the given rows and c < columns.
template <typename T>
void clear_rows(const DeviceArray<Index>& rows, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
