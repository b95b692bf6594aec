#pragma once

#include <vector>

#include "cuda/core/device_array.hpp"
#include "matrix/formats/symmetric_ellpack.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// SymmetricEllpack in GPU memory, as kernels take it.
template <typename T>
struct SymmetricView {
  Index rows;
  Index padded_rows;
  Index width;
  const LocalIndex* permutation;  ///< slot -> row; null: slot s is row s
  const LocalIndex* column_indices;
  const T* values;
};

/// The diagonal and lower triangle as column-major ELLPACK (Fencel 2020, section 2.4).
template <typename T>
struct DeviceSymmetric {
  Index rows = 0;
  Index padded_rows = 0;
  Index width = 0;
  DeviceArray<LocalIndex> permutation;
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;

  static DeviceSymmetric from_host(const SymmetricEllpack<T>& host) {
    return {host.rows,
            host.padded_rows,
            host.width,
            DeviceArray<LocalIndex>(host.permutation),
            DeviceArray<LocalIndex>(host.column_indices),
            DeviceArray<T>(host.values)};
  }
  static DeviceSymmetric from_csr(const Csr<T>& csr, const KernelOptions&) {
    return from_host(SymmetricEllpack<T>::from_csr(csr));
  }
  SymmetricView<T> view() const {
    return {rows, padded_rows, width, permutation.data(), column_indices.data(), values.data()};
  }
  std::int64_t bytes() const {
    return permutation.bytes() + column_indices.bytes() + values.bytes();
  }
};

/// The symmetric ELLPACK form with its slots sorted by colour (matrix/formats/colouring.hpp).
template <typename T>
struct DeviceColored {
  DeviceSymmetric<T> matrix;
  std::vector<Index> color_offsets;  ///< in host memory: a launch per colour

  static DeviceColored from_csr(const Csr<T>& csr, const KernelOptions& options);
  std::int64_t bytes() const {
    return matrix.bytes() + static_cast<std::int64_t>(color_offsets.size() * sizeof(Index));
  }
  std::string detail() const;  ///< "12 colours"
};

// Y = A X for symmetric A from its diagonal and lower triangle, on the current stream (Fencel 2020,
// chapter 3), a thread per slot and column of X: for its row i and every stored a = a_ij,
// y_i += a x_j and, where j < i, y_j += a x_i. Y is set to zero first.

/// All slots at once, both sums atomic.
template <typename T>
void symmetric_atomic(const SymmetricView<T>& a, const T* x, T* y, Index columns);

/// A launch per colour, whose rows write to disjoint places: no atomics, and the same bits always.
template <typename T>
void symmetric_colored(const DeviceColored<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
