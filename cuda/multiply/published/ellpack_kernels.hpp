#pragma once

#include "cuda/core/device_array.hpp"
#include "matrix/formats/ellpack.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// ColumnMajorEllpack in GPU memory, as kernels take it.
template <typename T>
struct EllpackView {
  Index rows;
  Index padded_rows;
  Index width;
  const LocalIndex* column_indices;
  const T* values;
};

/// ELLPACK for GPUs (Fencel 2020, section 2.3): element j of row i at i + j * padded_rows.
template <typename T>
struct DeviceEllpack {
  Index rows = 0;
  Index padded_rows = 0;
  Index width = 0;  ///< the longest row
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;
  int threads = 0;  ///< KernelOptions.width: threads per element

  static DeviceEllpack from_csr(const Csr<T>& csr, const KernelOptions& options) {
    const auto host = ColumnMajorEllpack<T>::from_csr(csr);
    return {host.rows,
            host.padded_rows,
            host.width,
            DeviceArray<LocalIndex>(host.column_indices),
            DeviceArray<T>(host.values),
            options.width};
  }
  EllpackView<T> view() const {
    return {rows, padded_rows, width, column_indices.data(), values.data()};
  }
  std::int64_t bytes() const { return column_indices.bytes() + values.bytes(); }
};

// Y = A X on the current stream, X and Y row-major in GPU memory (Capotombolo, Zarrelli 2023; for
// K = 1 the ELLPACK product of Fencel 2020). Blocks of 512 threads.

/// A thread per element e of Y: row e / K, column e mod K.
template <typename T>
void ellpack(const EllpackView<T>& a, const T* x, T* y, Index columns);

/// `threads` neighbouring threads per element of Y, a power of two up to 32, or 2 for 0. Throws
/// Error(input) for another number.
template <typename T>
void ellpack_subwarp(const EllpackView<T>& a, const T* x, T* y, Index columns, int threads);

}  // namespace spsolve::cuda::multiply
