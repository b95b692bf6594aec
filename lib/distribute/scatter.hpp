#pragma once

#include "core/team.hpp"
#include "distribute/cyclic_rows.hpp"
#include "distribute/row_bands.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// Deals the rows of rank 0's matrix out: rank r gets the rows of layout.segments(r), in that
/// order, as a Csr whose columns stay global. Rank 0 holds its matrix and one rank's rows at a
/// time; other ranks pass an empty matrix. Collective.
Csr<double> scatter_rows(Team& team, const RowBands& layout, const Csr<double>& whole);
Csr<double> scatter_rows(Team& team, const CyclicRows& layout, const Csr<double>& whole);

/// The same; `whole` is given up: a team of one keeps its rows, others free them when sent.
Csr<double> scatter_rows(Team& team, const RowBands& layout, Csr<double>&& whole);

}  // namespace spsolve
