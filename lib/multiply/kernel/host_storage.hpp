#pragma once

#include <vector>

#include <omp.h>

#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// Threads of a host kernel: `wanted`, or as many as OpenMP gives where that is 0.
inline int host_threads(int wanted) {
  return wanted > 0 ? wanted : omp_get_max_threads();
}

/// A storage format together with the data that a threaded host kernel needs with it.
template <typename T, template <typename> class Format>
struct HostStorage {
  Format<T> matrix;
  int threads = 0;         ///< as in KernelOptions
  std::vector<T> scratch;  ///< X transposed, where the kernel wants it; grows with K

  static HostStorage from_csr(const Csr<T>& csr, const KernelOptions& options) {
    return {Format<T>::from_csr(csr), options.threads, {}};
  }
  std::int64_t bytes() const { return matrix.bytes(); }
};

}  // namespace spsolve::multiply
