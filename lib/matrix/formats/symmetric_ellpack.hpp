#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The diagonal and lower triangle of a symmetric matrix as column-major ELLPACK (Fencel 2020,
/// section 2.4): element j of slot s is at s + j * padded_rows, columns ascending, so that a stored
/// diagonal element is the last of its row. Slots are padded to a multiple of 32; padding has
/// column -1 and value 0.
///
/// Slot s holds row `permutation[s]`, or row s where the permutation is empty. Columns, X and Y
/// keep the numbering of the matrix:
///   for every slot s with row i = permutation[s] and every stored (j, a):
///     y_i += a x_j, and, where j < i, y_j += a x_i.
template <typename T>
struct SymmetricEllpack {
  static constexpr Index row_multiple = 32;

  Index rows = 0;  ///< and columns
  Index padded_rows = 0;
  Index width = 0;                         ///< the longest row of the lower triangle
  std::vector<LocalIndex> permutation;     ///< rows, or empty
  std::vector<LocalIndex> column_indices;  ///< padded_rows * width
  std::vector<T> values;                   ///< padded_rows * width

  Index row_of(Index slot) const { return permutation.empty() ? slot : permutation[slot]; }

  /// Reads the diagonal and below of `matrix`, which must be symmetric; what lies above is not
  /// looked at. `permutation` is empty or names every row once.
  /// Cost: linear in padded_rows * width plus log(row length) per row, parallel over rows.
  /// Throws Error(input) where the matrix is not square, Error(internal) where the permutation has
  /// another length, and Error(resources) with padding_problem()'s sentence.
  static SymmetricEllpack from_csr(const Csr<T>& matrix,
                                   std::span<const LocalIndex> permutation = {});

  /// The whole symmetric matrix, both triangles.
  Csr<T> to_csr() const;

  std::int64_t bytes() const;
};

/// Stored elements of row i on the diagonal and below.
template <typename T>
Index lower_length(const Csr<T>& matrix, Index i);

/// Bytes of the padded columns and values that from_csr() would allocate; nothing is allocated.
template <typename T>
double symmetric_ellpack_bytes(const Csr<T>& matrix);

}  // namespace spsolve::matrix
