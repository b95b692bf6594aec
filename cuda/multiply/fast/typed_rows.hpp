#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cuda/core/device_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// TypedRows as kernels take them.
template <typename T>
struct TypedView {
  Index rows;
  Index reach;
  const std::uint16_t* row_types;
  const Index* offsets;
  const LocalIndex* distances;
  const T* values;
};

/// Rows by type (multiply/fast/row_types.hpp): each row is a 16-bit number of its type, and a type
/// holds its values and their distances from the diagonal once. For a stencil hardly more than X
/// and Y moves.
template <typename T>
struct TypedRows {
  Index rows = 0;
  Index types = 0;
  Index reach = 0;                       ///< how far right rows of the most frequent type go
  DeviceArray<std::uint16_t> row_types;  ///< rows
  DeviceArray<Index> offsets;            ///< types + 1: first element of each
  DeviceArray<LocalIndex> distances;     ///< column - row
  DeviceArray<T> values;

  /// Throws Error(input) with row_types_problem()'s sentence where there are too many types.
  static TypedRows from_csr(const Csr<T>& matrix, const KernelOptions& options);
  /// None where there are too many types, or they hold more than a quarter of the non-zeros.
  static std::optional<TypedRows> of(const Csr<T>& matrix);
  TypedView<T> view() const {
    return {rows, reach, row_types.data(), offsets.data(), distances.data(), values.data()};
  }
  std::int64_t bytes() const {
    return row_types.bytes() + offsets.bytes() + distances.bytes() + values.bytes();
  }
  std::string detail() const;  ///< "9 types of rows"
};

/// Y = A X on the current stream, X and Y row-major in GPU memory: a thread has 16 bytes of some
/// rows of Y, or an element where rows are not aligned. Neighbouring threads read neighbouring
/// elements of X, shifted by the same distance where their rows are of one type. Where X and Y are
/// beyond the cache, the next rows that a thread has are `reach` further on, so that of a stencil
/// it reads again what it just read. Sums have a fixed order. Cost: 2 nnz K; moves X, Y and 2 bytes
/// a row.
template <typename T>
void row_types(const TypedRows<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
