#pragma once

#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "core/progress.hpp"
#include "core/team.hpp"
#include "distribute/row_bands.hpp"
#include "eliminate/band.hpp"
#include "eliminate/options.hpp"
#include "eliminate/pivot_statistics.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// What an elimination leaves beside the bands, the same on every rank. The bands themselves hold
/// the pivots on the diagonal, the multipliers of step k in column k, and for Method::gauss the
/// upper triangle U above it.
struct Elimination {
  Method method = Method::gauss;
  std::vector<Index> row_swaps;     ///< step k swapped rows k and row_swaps[k] >= k
  std::vector<Index> column_swaps;  ///< likewise for columns; empty without complete pivoting
  PivotStatistics pivots;
};

/// Gaussian elimination column by column, over the bands of a team (S. Fencel, 2020, chapters 4
/// and 5; Golub and Van Loan, Matrix Computations, 3.2 and 3.4). Step k finds the pivot of largest
/// absolute value among the candidates of all ranks, sends its row to all of them while the two
/// owners exchange rows, and lets each rank eliminate in its own band: below the pivot for
/// Method::gauss (2/3 n^3 flops), above and below for Method::gauss_jordan (n^3). A rank alone
/// whose band can leaves it runs of steps, see Band::eliminate_run(): the same elements.
///
/// `rows` carries matrix rows between the bands' own memories (see Band::row_buffer()); `team`
/// everything else. The multipliers stay where they arise, so that solve() works for any right-hand
/// side.
///
/// With `checkpoints` it goes on from the newest good one, over any number of ranks, and keeps
/// itself between two columns, or two runs; what the ranks wish for travels with their candidates.
///
/// Throws Error(not_trustworthy) on every rank where a pivot is zero (the matrix is singular) or
/// not finite (overflow), naming the step. Collective.
template <typename T>
Elimination eliminate_columnwise(Team& team, Team& rows, const RowBands& bands, Band<T>& band,
                                 Method method, Pivoting pivoting, Progress& progress,
                                 Checkpoints* checkpoints = nullptr);

/// Solves A x = b for the eliminated A. `x` holds the right-hand sides on entry and the solutions
/// on exit, n x K, whole and the same on every rank. n^2 K flops and two messages a rank per sweep.
/// Collective.
template <typename T>
void solve(Team& team, const RowBands& bands, const Band<T>& band, const Elimination& elimination,
           Dense<T>& x);

/// Applies the swaps of an elimination to the rows of x, n x K: x <- P x, or with `inverse`
/// x <- P^-1 x = P^T x.
template <typename T>
void permute(const std::vector<Index>& swaps, Dense<T>& x, bool inverse);

extern template void permute(const std::vector<Index>&, Dense<float>&, bool);
extern template void permute(const std::vector<Index>&, Dense<double>&, bool);
extern template Elimination eliminate_columnwise(Team&, Team&, const RowBands&, Band<float>&,
                                                 Method, Pivoting, Progress&, Checkpoints*);
extern template Elimination eliminate_columnwise(Team&, Team&, const RowBands&, Band<double>&,
                                                 Method, Pivoting, Progress&, Checkpoints*);
extern template void solve(Team&, const RowBands&, const Band<float>&, const Elimination&,
                           Dense<float>&);
extern template void solve(Team&, const RowBands&, const Band<double>&, const Elimination&,
                           Dense<double>&);

}  // namespace spsolve
