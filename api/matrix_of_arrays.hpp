#pragma once

#include "distribute/layout/row_layout.hpp"
#include "matrix/compressed_arrays.hpp"
#include "spsolve/matrix.hpp"
#include "spsolve/ranks.hpp"

namespace spsolve {

/// Where the rows of a matrix lie that no rank has all of; of a complex one those of its real form.
struct MatrixBands {
  Ranks ranks;
  RowLayout rows;
  Index nonzeros = 0;  ///< of all ranks
};

/// Matrices of arrays whose numbers are of any type: see Matrix::from_rows(), of `arrays` by
/// columns from_columns(), and from_entries().
Matrix matrix_of(const CompressedArrays& arrays, Symmetry symmetry);
Matrix matrix_of(const EntryArrays& arrays, Symmetry symmetry);

/// Matrix::from_own_rows() of such arrays by rows, but for their number. Collective.
Matrix matrix_of(const Ranks& ranks, Range own, CompressedArrays arrays, Symmetry symmetry);

/// Throws, on every rank of `ranks`, where own rows of a matrix are handed over by others than all
/// of these. Collective.
void require_ranks_of(const Matrix& a, const Ranks& ranks);

/// The rows that products and iterations begin with: own ones as they were handed over, or this
/// rank's of the layout, dealt out by rank 0. Collective.
Csr<double> rows_in_bands(const Matrix& a, Team& team, const RowLayout& layout);

}  // namespace spsolve
