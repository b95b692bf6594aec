#pragma once

#include <algorithm>
#include <span>

#include "core/types.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/eliminate/band_streams.hpp"
#include "cuda/eliminate/triangle_kernels.hpp"

namespace spsolve::cuda {

/// Right-hand sides on their way through eliminated rows in GPU memory, `stride` values apart:
/// those of a rank alone, and what ranks of a team give to transposed systems. Multivectors are in
/// host memory, row-major, K columns.
template <typename T>
class Solutions {
 public:
  Solutions(BandStreams& streams, Index stride) : streams_(streams), stride_(stride), ticket_(1) {}

  /// Bytes of GPU memory that it takes for `columns` right-hand sides and `height` rows with panels
  /// of `width` columns.
  static std::int64_t bytes(Index height, Index width, Index columns) {
    const Index values = height * columns + std::max(height, width * columns);
    return columns == 0 ? 0 : values * static_cast<std::int64_t>(sizeof(T));
  }

  /// x <- the inverse of the triangle of order n at `a`, times x.
  void solve(Triangle triangle, const T* a, Index n, std::span<T> x, Index columns);

  /// c <- c - A^T x for `rows` rows of A at `a`, which has c.size() / K columns.
  void subtract_transposed_product(Index rows, const T* a, std::span<const T> x, std::span<T> c,
                                   Index columns);

 private:
  BandStreams& streams_;
  Index stride_;
  DeviceArray<T> x_, c_;
  DeviceArray<int> ticket_;  // of solve_triangle()
};

}  // namespace spsolve::cuda
