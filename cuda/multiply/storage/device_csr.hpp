#pragma once

#include "cuda/core/device_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// A Csr in GPU memory, as kernels take it.
template <typename T>
struct CsrView {
  Index rows;
  Index columns;
  Index nonzeros;
  const Index* row_offsets;  ///< rows + 1
  const LocalIndex* column_indices;
  const T* values;
};

/// A Csr in GPU memory, and room for X transposed where a kernel wants it.
template <typename T>
struct DeviceCsr {
  Index rows = 0;
  Index columns = 0;
  DeviceArray<Index> row_offsets;
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;
  DeviceArray<T> scratch;  ///< X transposed; grows with K
  int width = 0;           ///< KernelOptions.width

  static DeviceCsr from_csr(const Csr<T>& csr, const KernelOptions& options) {
    return {csr.rows,
            csr.columns,
            DeviceArray<Index>(csr.row_offsets),
            DeviceArray<LocalIndex>(csr.column_indices),
            DeviceArray<T>(csr.values),
            {},
            options.width};
  }
  /// The rows in host memory, when all that was launched before is done.
  Csr<T> brought() const {
    Csr<T> csr;
    csr.rows = rows;
    csr.columns = columns;
    csr.row_offsets.resize(static_cast<std::size_t>(rows) + 1);
    csr.column_indices.resize(static_cast<std::size_t>(column_indices.size()));
    csr.values.resize(static_cast<std::size_t>(values.size()));
    row_offsets.download(csr.row_offsets);
    column_indices.download(csr.column_indices);
    values.download(csr.values);
    return csr;
  }
  CsrView<T> view() const {
    return {rows, columns, values.size(), row_offsets.data(), column_indices.data(), values.data()};
  }
  std::int64_t bytes() const {
    return row_offsets.bytes() + column_indices.bytes() + values.bytes();
  }
};

}  // namespace spsolve::cuda::multiply
