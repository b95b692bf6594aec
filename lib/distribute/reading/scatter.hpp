#pragma once

#include "distribute/layout/row_layout.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// Deals the rows of rank 0's matrix out: rank r gets the rows of layout.segments(r), in that
/// order, as a Csr whose columns stay global; other ranks pass an empty matrix. Bands are sent from
/// where they lie, so that rank 0 holds its matrix and in the end its own band in addition; of
/// cyclic rows it holds one rank's at a time as well. Collective.
Csr<double> scatter_rows(Team& team, const RowLayout& layout, const Csr<double>& whole);

/// Deals the rows of rank 0's matrix out; `whole` is given up and, where the layout is contiguous,
/// cut down to rank 0's band in place: in addition to it, rank 0 never holds more than three fifths
/// of one of its arrays.
Csr<double> scatter_rows(Team& team, const RowLayout& layout, Csr<double>&& whole);

/// Rows of a multivector, in bands: rank r gets those of layout.band(r) of rank 0's `whole`, n x K;
/// other ranks pass an empty one. Collective.
Dense<double> scatter_rows(Team& team, const RowLayout& layout, const Dense<double>& whole);

/// Rank 0 gets all rows of a multivector from their bands, in double; the others an empty one.
/// Collective.
template <typename T>
Dense<double> gather_rows(Team& team, const RowLayout& bands, const Dense<T>& band);

}  // namespace spsolve::distribute
