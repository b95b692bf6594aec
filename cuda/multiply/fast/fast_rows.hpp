#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/multiply/fast/cut_rows.hpp"
#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multiply {

// Row-wise products for K of any size, on the current stream; X and Y row-major in GPU memory.
// Rows that are far longer than the others are taken out and shared by many blocks, so that none
// of them holds up a warp. Sums have a fixed order: the same input gives the same bits.

/// Rows with more non-zeros than this are long: more than 8 times the mean, and more than 256.
Index long_row_limit(Index rows, Index nonzeros);

/// Non-zeros of a long row that one block multiplies.
inline constexpr Index long_row_chunk = 2048;

/// Columns of X that the long rows are multiplied by at a time.
inline constexpr Index long_row_columns = 64;

/// Long rows, packed one after another and cut into pieces of at most long_row_chunk non-zeros,
/// with long_row_columns sums each.
template <typename T>
struct LongRows {
  CutRows<T> cut;
  DeviceArray<Index> piece_offsets;  ///< pieces + 1: first non-zero of each
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;

  /// Those with more than `limit` non-zeros.
  static LongRows from_csr(const Csr<T>& matrix, Index limit);
  std::int64_t bytes() const {
    return cut.bytes() + piece_offsets.bytes() + column_indices.bytes() + values.bytes();
  }
};

/// The long rows of Y: a block per piece forms its sums, then a thread per element adds up those of
/// its row, in order.
template <typename T>
void multiply_long_rows(LongRows<T>& a, const T* x, T* y, Index columns);

/// Sliced ELLPACK (SELL-32-sigma; Kreutzer, Hager, Wellein, Fehske, Bishop 2014): rows are sorted
/// by descending length within windows of `sigma` rows and cut into slices of 32, each stored
/// column-major. Element j of slot s is at slice_offsets[s / 32] + 32 j + s mod 32. Padding is
/// never read.
template <typename T>
struct SlicedRows {
  static constexpr Index slice = 32;
  static constexpr Index sigma = 1024;  ///< a multiple of slice

  Index rows = 0;
  DeviceArray<Index> slice_offsets;
  DeviceArray<std::uint16_t> places;  ///< by slot: the row's place in its window
  DeviceArray<LocalIndex> lengths;    ///< by slot
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;
  LongRows<T> long_rows;

  static SlicedRows from_csr(const Csr<T>& matrix, const KernelOptions& options);
  std::int64_t bytes() const {
    return slice_offsets.bytes() + places.bytes() + lengths.bytes() + column_indices.bytes() +
           values.bytes() + long_rows.bytes();
  }
};

/// A thread per row, its sums in registers; 1, 2, 3, 4 or 8 columns of X at a time.
template <typename T>
void sliced_rows(SlicedRows<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
