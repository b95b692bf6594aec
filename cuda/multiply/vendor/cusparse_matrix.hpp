#pragma once

#include "cuda/core/device_array.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda::inline multiply {

using SparseDescriptor = Owned<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using VectorDescriptor = Owned<cusparseDnVecDescr_t, cusparseDestroyDnVec>;
using DenseDescriptor = Owned<cusparseDnMatDescr_t, cusparseDestroyDnMat>;

/// A sparse matrix in GPU memory in a format of cuSPARSE, with the buffers that its calls need in
/// addition.
template <typename T>
struct CusparseMatrix {
  Index rows = 0;
  Index columns = 0;
  Index nonzeros = 0;
  Index slice = 0;  ///< rows of a slice of SELL; 0: CSR
  DeviceArray<LocalIndex> offsets;
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;
  DeviceArray<char> workspace;

  static CusparseMatrix csr(const Csr<T>& matrix);
  static CusparseMatrix sell(const Csr<T>& matrix);

  /// A fresh descriptor: preprocessing leaves its traces in one.
  SparseDescriptor descriptor();
  bool empty() const { return rows == 0 || columns == 0 || nonzeros == 0; }
  std::int64_t bytes() const {
    return offsets.bytes() + column_indices.bytes() + values.bytes() + workspace.bytes();
  }

  /// Y = 0 on the current stream, for a matrix without non-zeros, which cuSPARSE isn't given.
  void multiply_empty(T* y, Index k) const;
};

}  // namespace spsolve::cuda::multiply
