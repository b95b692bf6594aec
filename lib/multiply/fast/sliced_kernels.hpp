#pragma once

#include "matrix/formats/sliced_ellpack.hpp"
#include "multiply/kernel/host_storage.hpp"

namespace spsolve::inline multiply {

/// SELL-C-sigma; KernelOptions.width is C, 0 the default of SlicedEllpackOptions.
template <typename T>
struct SlicedEllpackStorage {
  SlicedEllpack<T> matrix;
  int threads = 0;

  static SlicedEllpackStorage from_csr(const Csr<T>& csr, const KernelOptions& options) {
    SlicedEllpackOptions format;
    if (options.width != 0) format.chunk = options.width;
    return {SlicedEllpack<T>::from_csr(csr, format), options.threads};
  }
  std::int64_t bytes() const { return matrix.bytes(); }
};

/// Y = A X by chunks (Kreutzer et al. 2014, section 3, extended to K columns): the C rows of a
/// chunk are the lanes of vector instructions, with sums for up to 4 columns of X in registers.
template <typename T>
void sliced_ellpack(const SlicedEllpack<T>& a, const T* x, T* y, Index columns, int threads);

}  // namespace spsolve::multiply
