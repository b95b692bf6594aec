#pragma once

#include <cstdint>
#include <optional>

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/fast/row_split.hpp"
#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// PairedRows as kernels take them. Number k of row i is at place offsets[i / 32] + i mod 32 + 32
/// k.
template <typename T>
struct PairedView {
  Index rows;  ///< of the complex matrix
  const Index* offsets;
  const LocalIndex* columns;  ///< of the complex matrix; -1: padding
  const T* values;            ///< real and imaginary part in turn
  T sign;                     ///< of rows of imaginary parts: -1 after conjugate_rows()
};

/// The real form of a complex matrix (matrix/real_form.hpp) with every complex number stored once,
/// which are half of its values and a quarter of its columns: slices of 32 rows, each padded to its
/// longest row (SELL-32; Kreutzer and others, 2014), so that a warp reads neighbouring numbers.
template <typename T>
struct PairedRows {
  static constexpr Index slice = 32;

  Index rows = 0;
  T sign = 1;
  DeviceArray<Index> offsets;  ///< slices + 1
  DeviceArray<LocalIndex> columns;
  DeviceArray<T> values;

  /// None where the matrix is no real form, or padding would take more than a fifth.
  static std::optional<PairedRows> of(const Csr<T>& form);
  PairedView<T> view() const { return {rows, offsets.data(), columns.data(), values.data(), sign}; }
  std::int64_t bytes() const { return offsets.bytes() + columns.bytes() + values.bytes(); }
};

/// Y = A X on the current stream for the real form A, X and Y row-major in GPU memory: lanes on
/// rows and on the columns of X. Sums have a fixed order. Cost: 8 flops a number and column; moves
/// each number once.
template <typename T>
void paired_rows(const PairedRows<T>& a, const T* x, T* y, Index columns);

/// The rows of complex numbers of a real form: in slices where these are many and hardly padded,
/// else by length, as csr_row_split() takes them.
template <typename T>
struct ComplexRows {
  std::optional<PairedRows<T>> slices;
  std::optional<RowSplit<T>> split;

  static ComplexRows from_csr(const Csr<T>& form, const KernelOptions& options);
  std::int64_t bytes() const { return slices ? slices->bytes() : split->bytes(); }
};

/// Y = A X, likewise.
template <typename T>
void complex_rows(ComplexRows<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
