#pragma once

#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// The CSR arrays as they are: the storage of the CSR kernels.
template <typename T>
struct CsrStorage {
  Csr<T> matrix;

  static CsrStorage from_csr(const Csr<T>& csr, const KernelOptions&) { return {csr}; }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(matrix.row_offsets.size() * sizeof(Index) +
                                     matrix.column_indices.size() * sizeof(LocalIndex) +
                                     matrix.values.size() * sizeof(T));
  }
};

/// Y = A X, one row after another: y_ic = sum over k of a_ik x_kc, in the order of the columns.
/// The reference for every other kernel.
template <typename T>
void csr_serial(const Csr<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::multiply
