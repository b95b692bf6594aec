#pragma once

#include <span>

#include "core/worth_threads.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The rows (r_i a_ij c_j) of a sparse matrix that stays as it is: factors of its rows and columns,
/// or none, which count as 1. It refers to all of them.
struct ScaledRows {
  ScaledRows(const Csr<double>& matrix) : rows(matrix) {}
  ScaledRows(const Csr<double>& matrix, std::span<const double> r, std::span<const double> c)
      : rows(matrix), of_rows(r), of_columns(c) {}

  bool scales() const { return !of_rows.empty(); }

  /// Entry k of the matrix, which lies in row i.
  double value(Index i, Index k) const {
    if (!scales()) return rows.values[k];
    // One after the other: their product may overflow where the entry does not.
    return rows.values[k] * of_rows[i] * of_columns[rows.column_indices[k]];
  }

  Csr<double> copy() const {
    Csr<double> result = rows;
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        result.values[k] = value(i, k);
      }
    }
    return result;
  }

  const Csr<double>& rows;
  std::span<const double> of_rows, of_columns;
};

}  // namespace spsolve::matrix
