#pragma once

#include "distribute/layout/row_layout.hpp"
#include "matrix/csr.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// Deals rows that lie in bands out anew: `rows` are this rank's of the contiguous layout `from`,
/// the result is this rank's of `to`, in ascending order, columns as they are. A message each way
/// with each rank, of its rows. Collective.
Csr<double> redistribute_rows(Team& team, const RowLayout& from, const Csr<double>& rows,
                              const RowLayout& to);

/// The transpose of a matrix that lies in bands: `rows` are this rank's of the contiguous layout
/// `row_layout`, the result is this rank's rows of the transpose, in `column_layout`. Messages
/// each way with each rank, of the entries that change ranks. Collective.
Csr<double> transposed_rows(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
                            const Csr<double>& rows);

/// Parts of rows that this rank made of others' rows, to their owners: row k of `rows`, whose
/// columns are in this rank's share, is part of row numbers[k] of `layout`; the numbers ascend.
/// Hands back what came of this rank's rows, columns as they are and ascending, where shares of
/// columns do with the ranks. Messages each way with each rank that has such parts. Collective.
Csr<double> give_rows_back(Team& team, const RowLayout& layout, const std::vector<Index>& numbers,
                           const Csr<double>& rows);

/// All rows of a matrix that lies in bands, `rows` this rank's, columns as they are, on every rank.
/// Collective.
Csr<double> all_rows(Team& team, const Csr<double>& rows);

}  // namespace spsolve::distribute
