#pragma once

#include "distribute/halo/halo_plan.hpp"
#include "matrix/csr.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// The halo's rows of a sparse matrix whose rows lie in plan.bands, columns as they are: what a
/// product with it needs of other ranks. `own`: this rank's rows. Two messages each way with each
/// neighbour, of lengths and of entries. Collective.
Csr<double> fetch_rows(Team& team, const HaloPlan& plan, const Csr<double>& own);

/// The halo's rows if the rows that others need are at hand: row k of `leaving` is own row
/// plan.rows_to_send[k]. Collective.
Csr<double> trade_rows(Team& team, const HaloPlan& plan, const Csr<double>& leaving);

}  // namespace spsolve::distribute
