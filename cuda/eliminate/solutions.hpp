#pragma once

#include <algorithm>
#include <span>

#include "core/types.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/eliminate/band_streams.hpp"
#include "cuda/eliminate/triangle_kernels.hpp"

namespace spsolve::cuda {

/// Right-hand sides on their way through an eliminated matrix in GPU memory, whose rows are
/// `stride` values apart. Multivectors are in host memory, row-major, K columns.
template <typename T>
class Solutions {
 public:
  Solutions(BandStreams& streams, Index stride) : streams_(streams), stride_(stride), ticket_(1) {}

  /// Bytes of GPU memory that it takes for `columns` right-hand sides and `height` rows with panels
  /// of `width` columns; alone, those rows are all.
  static std::int64_t bytes(Index height, Index width, bool alone, Index columns) {
    const Index values = alone ? height * columns + std::max(height, width * columns)
                               : (2 * height + width) * columns;
    return columns == 0 ? 0 : values * static_cast<std::int64_t>(sizeof(T));
  }

  /// x <- the inverse of the triangle of order n at `a`, times x.
  void solve(Triangle triangle, const T* a, Index n, std::span<T> x, Index columns);

  // Sums c of one row for each of the matrix's: set, c(rows, :) <- c(rows, :) - A x for the
  // x.size() / K columns of A at `a`, and read.
  void set_sums(std::span<const T> sums);
  void subtract_product(Range rows, const T* a, std::span<const T> x, Index columns);
  void read_sums(Range rows, std::span<T> values, Index columns);

  /// c <- c - A^T x for `rows` rows of A at `a`, which has c.size() / K columns.
  void subtract_transposed_product(Index rows, const T* a, std::span<const T> x, std::span<T> c,
                                   Index columns);

 private:
  BandStreams& streams_;
  Index stride_;
  DeviceArray<T> x_, c_, sums_;
  DeviceArray<int> ticket_;  // of solve_triangle()
};

}  // namespace spsolve::cuda
