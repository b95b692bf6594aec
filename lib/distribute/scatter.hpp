#pragma once

#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// Deals the rows of rank 0's matrix out: rank r gets its band of `bands` as a Csr whose columns
/// stay global. Rank 0 sends straight from its own arrays, so nothing but them and its own band is
/// held there; other ranks pass an empty matrix. `whole` is moved from in a team of one and stays
/// as it is in a larger one. Collective.
Csr<double> scatter_rows(Team& team, const RowBands& bands, Csr<double>&& whole);

}  // namespace spsolve
