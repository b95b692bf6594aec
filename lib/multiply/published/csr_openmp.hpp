#pragma once

#include "multiply/kernel/host_storage.hpp"
#include "multiply/published/csr_kernels.hpp"

namespace spsolve::inline multiply {

/// The CSR arrays and a number of threads.
template <typename T>
struct CsrThreadedStorage {
  CsrStorage<T> csr;
  int threads = 0;

  static CsrThreadedStorage from_csr(const Csr<T>& matrix, const KernelOptions& options) {
    return {CsrStorage<T>::from_csr(matrix, options), options.threads};
  }
  std::int64_t bytes() const { return csr.bytes(); }
};

/// Y = A X by contiguous rows per thread (Capotombolo, Zarrelli 2023, section 3): chunks of
/// rows / threads rows, rounded down to a multiple of 16 and at least 16, dealt out in turn, so
/// that two threads seldom write to one cache line of Y. For each row and each column of X, the sum
/// over the row's non-zeros is kept in a register.
template <typename T>
void csr_openmp(const Csr<T>& a, const T* x, T* y, Index columns, int threads);

}  // namespace spsolve::multiply
