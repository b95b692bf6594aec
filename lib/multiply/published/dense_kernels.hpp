#pragma once

#include <string>

#include "matrix/dense.hpp"
#include "multiply/kernel/host_storage.hpp"

namespace spsolve::inline multiply {

/// A dense form larger than this is not made: order 16384 in double.
inline constexpr std::int64_t largest_dense_bytes = std::int64_t{2} << 30;

/// One sentence of why a rows x columns matrix is not stored densely, or "": more than 2 GiB, or
/// more than available_memory().
std::string dense_problem(Index rows, Index columns, std::size_t value_bytes);

/// The dense form of a sparse matrix, zeros stored.
template <typename T>
struct DenseStorage {
  Dense<T> matrix;
  int threads = 0;

  /// Throws Error(resources) with dense_problem()'s sentence.
  static DenseStorage from_csr(const Csr<T>& csr, const KernelOptions& options);
  std::int64_t bytes() const { return static_cast<std::int64_t>(matrix.values.size() * sizeof(T)); }
};

/// Y = A X by three loops, y_ic = sum over j of a_ij x_jc, one thread: the processor's side of the
/// comparison in Boukara, Cicala.
template <typename T>
void dense_reference(const Dense<T>& a, const T* x, T* y, Index columns);

/// Y = A X by the BLAS's gemm. It computes column-major products, and a row-major array read as
/// column-major is the transpose: Y^T = X^T A^T, no copy. The number of threads is OpenMP's, which
/// a BLAS built with OpenMP follows; another one follows its own settings.
template <typename T>
void dense_blas(const Dense<T>& a, const T* x, T* y, Index columns, int threads);

}  // namespace spsolve::multiply
