#pragma once

#include <span>
#include <vector>

#include "matrix/formats/symmetric_ellpack.hpp"
#include "multiply/kernel/host_storage.hpp"

namespace spsolve::inline multiply {

template <typename T>
using SymmetricEllpackStorage = HostStorage<T, SymmetricEllpack>;

/// Symmetric ELLPACK whose slots are sorted by colour.
template <typename T>
struct ColoredEllpackStorage {
  SymmetricEllpack<T> matrix;
  std::vector<Index> color_offsets;
  int threads = 0;

  static ColoredEllpackStorage from_csr(const Csr<T>& csr, const KernelOptions& options);
  std::int64_t bytes() const;
};

// Y = A X for symmetric A from its diagonal and lower triangle (Fencel 2020, chapter 3): for every
// row i and stored a = a_ij, y_i += a x_j and, where j < i, y_j += a x_i.

/// Rows in parallel; both sums are atomic.
template <typename T>
void symmetric_atomic(const SymmetricEllpack<T>& a, const T* x, T* y, Index columns, int threads);

/// Colours one after another, the rows of one in parallel: slots color_offsets[q] <= s <
/// color_offsets[q + 1] have colour q and write to disjoint rows of Y
/// (matrix/formats/colouring.hpp). The order of all sums is that of the colours, whatever the
/// number of threads.
template <typename T>
void symmetric_colored(const SymmetricEllpack<T>& a, std::span<const Index> color_offsets,
                       const T* x, T* y, Index columns, int threads);

}  // namespace spsolve::multiply
