#pragma once

#include "cuda/core/device_array.hpp"
#include "multiply/kernel/kernel.hpp"
#include "multiply/published/dense_kernels.hpp"

namespace spsolve::cuda::inline multiply {

/// The dense form of a matrix in GPU memory, row-major, zeros stored.
template <typename T>
struct DeviceDense {
  Index rows = 0;
  Index columns = 0;
  DeviceArray<T> values;
  int width = 0;  ///< KernelOptions.width

  /// Throws Error(resources) with dense_problem()'s sentence.
  static DeviceDense from_csr(const Csr<T>& csr, const KernelOptions& options) {
    const auto host = DenseStorage<T>::from_csr(csr, options);
    return {csr.rows, csr.columns, DeviceArray<T>(host.matrix.values), options.width};
  }
  std::int64_t bytes() const { return values.bytes(); }
};

/// Y = A X on the current stream by tiles in shared memory (Boukara, Cicala): a block of
/// tile x tile threads forms a tile of Y and walks along the tiles of A's rows and X's columns;
/// beyond the edges they are zero. `tile` is 2, 4, 8, 16 or 32, or 32 for 0. Throws Error(input)
/// for another one.
template <typename T>
void dense_tiled(const DeviceDense<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
