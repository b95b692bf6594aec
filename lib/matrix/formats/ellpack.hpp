#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The ELLPACK family (Kincaid, Oppe, Young 1989): every row is given the length of the longest.
/// See Capotombolo, Zarrelli 2023 (row-major, for hosts) and Fencel 2020, section 2.3
/// (column-major, for GPUs).

/// ELLPACK for hosts, row-major: element j of row i is values[i * width + j] at
/// column_indices[i * width + j], columns ascending. Shorter rows are padded with the value 0 at
/// the row's last column (column 0 for an empty row), so that a product needs no test; it
/// multiplies that element of X by 0, and X must be finite.
template <typename T>
struct Ellpack {
  Index rows = 0;
  Index columns = 0;
  Index width = 0;                         ///< the longest row
  std::vector<LocalIndex> column_indices;  ///< rows * width
  std::vector<T> values;                   ///< rows * width

  /// Cost: linear in rows * width, parallel over rows. Throws Error(resources) with
  /// padding_problem()'s sentence, before anything is allocated.
  static Ellpack from_csr(const Csr<T>& matrix);

  /// The matrix without padding. A row that holds nothing but a zero stored in column 0 looks like
  /// padding and comes back empty.
  Csr<T> to_csr() const;

  std::int64_t bytes() const;
};

/// ELLPACK for GPUs, column-major: element j of row i is at i + j * padded_rows, so that
/// neighbouring threads read neighbouring elements. Rows are padded to a multiple of 32; padding
/// has column -1 and value 0.
template <typename T>
struct ColumnMajorEllpack {
  static constexpr Index row_multiple = 32;  ///< threads of a warp

  Index rows = 0;
  Index columns = 0;
  Index padded_rows = 0;
  Index width = 0;                         ///< the longest row
  std::vector<LocalIndex> column_indices;  ///< padded_rows * width
  std::vector<T> values;                   ///< padded_rows * width

  /// Cost and errors as for Ellpack.
  static ColumnMajorEllpack from_csr(const Csr<T>& matrix);
  Csr<T> to_csr() const;
  std::int64_t bytes() const;
};

/// ELLPACK without padding: element j of row i, 0 <= j < row_lengths[i], is at
/// row_starts[i] + j.
template <typename T>
struct UnpaddedEllpack {
  Index rows = 0;
  Index columns = 0;
  std::vector<LocalIndex> row_lengths;     ///< rows
  std::vector<Index> row_starts;           ///< rows
  std::vector<LocalIndex> column_indices;  ///< one per non-zero
  std::vector<T> values;                   ///< one per non-zero

  /// Cost: linear in the non-zeros, parallel over rows; the second form moves the arrays and is
  /// linear in the rows.
  static UnpaddedEllpack from_csr(const Csr<T>& matrix);
  static UnpaddedEllpack from_csr(Csr<T>&& matrix);
  Csr<T> to_csr() const;
  std::int64_t bytes() const;
};

/// The longest row of `matrix`; 0 where it has no rows. Linear in the rows, parallel.
template <typename T>
Index longest_row(const Csr<T>& matrix);

/// Padding beyond this many bytes must not exceed largest_padding times the non-zeros.
inline constexpr std::int64_t small_padded_bytes = std::int64_t{1} << 30;
inline constexpr Index largest_padding = 64;

/// One sentence of why a matrix of `rows` rows, padded to `width` elements each, is not stored so,
/// or "": its bytes overflow, or do not fit available_memory(), or they are more than 1 GiB and
/// more than 64 times the non-zeros (a few full rows among short ones). Nothing is allocated.
std::string padding_problem(Index rows, Index width, Index nonzeros, std::size_t value_bytes);

/// `count` rounded up to a multiple of `multiple`.
constexpr Index round_up(Index count, Index multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

}  // namespace spsolve::matrix
