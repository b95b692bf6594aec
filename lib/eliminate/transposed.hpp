#pragma once

#include "core/team.hpp"
#include "eliminate/columnwise.hpp"
#include "eliminate/lu.hpp"

namespace spsolve {

// Solves A^T x = b with the factors of A. `x` holds the right-hand sides on entry and the solutions
// on exit, n x K, whole and the same on every rank. Condition estimates need it.
//
// Bands keep rows, and L^T and U^T are made of columns: each rank adds up what its own rows give to
// a component, and the ranks' sums meet before it is solved for.

/// With P A Q = L U of eliminate_columnwise(): x = P^T L^-T U^-T Q^T b; for Method::gauss_jordan,
/// U^-T is (I - M)^T D^-1, M the multipliers above the diagonal. Rank after rank, each with its own
/// rows: 2 n^2 K flops in a row, two messages a rank. Row buffer 0 of the band must be in host
/// memory. Collective.
template <typename T>
void solve_transposed(Team& team, const RowBands& bands, Band<T>& band,
                      const Elimination& elimination, Dense<T>& x);

/// With P A = L U of factor_lu(): x = P^T L^-T U^-T b. 2 n^2 K flops over the ranks and two
/// all-gathers a panel; reads the band through copies of its panels. Collective.
template <typename T>
void solve_lu_transposed(Team& team, const BlockedBand<T>& band, const LuFactors<T>& factors,
                         Dense<T>& x);

extern template void solve_transposed(Team&, const RowBands&, Band<float>&, const Elimination&,
                                      Dense<float>&);
extern template void solve_transposed(Team&, const RowBands&, Band<double>&, const Elimination&,
                                      Dense<double>&);
extern template void solve_lu_transposed(Team&, const BlockedBand<float>&, const LuFactors<float>&,
                                         Dense<float>&);
extern template void solve_lu_transposed(Team&, const BlockedBand<double>&,
                                         const LuFactors<double>&, Dense<double>&);

}  // namespace spsolve
