#pragma once

#include <vector>

#include "matrix/csr.hpp"

namespace spsolve::inline distribute {

/// A band of rows whose columns are numbered as they occur: column j of `rows` is column
/// global_columns[j] of the matrix. So column indices have 32 bits however many columns the matrix
/// has, and what other ranks must send is known.
struct CompressedRows {
  Csr<double> rows;                   ///< rows.columns = global_columns.size()
  Index columns = 0;                  ///< of the matrix
  std::vector<Index> global_columns;  ///< ascending, each at most once
};

/// Numbers the columns of a band anew, in place. Cost: linear in non-zeros and columns.
CompressedRows compress_columns(Csr<double>&& rows);

/// The way back: the band with the columns of the matrix, whose numbers must have 32 bits. Throws
/// Error(input) where they have more.
Csr<double> with_all_columns(CompressedRows&& band);

}  // namespace spsolve::distribute
