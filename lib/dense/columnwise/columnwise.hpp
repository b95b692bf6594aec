#pragma once

#include <optional>
#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "dense/columnwise/dense_rows.hpp"
#include "distribute/layout/row_layout.hpp"
#include "distribute/row_exchange.hpp"
#include "matrix/dense.hpp"
#include "process/progress.hpp"
#include "solve/operators/options.hpp"
#include "solve/operators/pivot_statistics.hpp"
#include "team/team.hpp"

namespace spsolve::inline dense {

/// The results of an elimination in addition to the dense rows, the same on every rank but for the
/// exchanges. The dense rows themselves hold the pivots on the diagonal, the multipliers of step k
/// in column k, and for Method::gauss the upper triangle U above it.
struct Elimination {
  Method method = Method::gauss;
  std::vector<Index> row_swaps;     ///< step k swapped rows k and row_swaps[k] >= k
  std::vector<Index> column_swaps;  ///< likewise for columns; empty without complete pivoting
  PivotStatistics pivots;
  std::optional<RowExchange> row_order;     ///< between bands of x and of P x, P all row swaps
  std::optional<RowExchange> column_order;  ///< likewise for column swaps, where there are any
};

/// Gaussian elimination column by column, over the dense rows of a team (M. Fencel, 2020, chapters
/// 4 and 5; Golub and Van Loan, Matrix Computations, 3.2 and 3.4). Step k finds the pivot of
/// largest absolute value among the candidates of all ranks, sends its row to all of them while the
/// two owners exchange rows, and lets each rank eliminate in its own rows: below the pivot for
/// Method::gauss (2/3 n^3 flops), above and below for Method::gauss_jordan (n^3). A rank alone
/// whose rows can leaves it runs of steps, see DenseRows::eliminate_run(): the same elements.
///
/// `right_hand_sides`, own rows x K, go along with Method::gauss_jordan, as published: every step
/// changes them as it changes the columns after it, and x_i = b_i / a_ii at the end: own rows of x
/// in their place. The multipliers of all steps are kept for those that come later, and for those
/// that are to go along after a checkpoint: the steps before it are repeated for them first.
///
/// `row_team` carries matrix rows between the ranks' own memories (see DenseRows::row_buffer()),
/// `team` everything else.
/// The multipliers stay where they arise, so that solve_columnwise() works for any right-hand side.
///
/// With `checkpoints` it goes on from the newest good one, over any number of ranks, and keeps
/// itself between two columns, or two runs; what the ranks wish for travels with their candidates.
///
/// Throws Error(not_trustworthy) on every rank where a pivot is zero (the matrix is singular) or
/// not finite (overflow), naming the step. Collective.
template <typename T>
Elimination eliminate_columnwise(Team& team, Team& row_team, const RowLayout& bands,
                                 DenseRows<T>& rows, Method method, Pivoting pivoting,
                                 Progress& progress, Checkpoints* checkpoints = nullptr,
                                 Dense<T>* right_hand_sides = nullptr);

// Solves with the eliminated A = P^T L U Q^T, Q all column swaps; for Method::gauss_jordan U^-1 is
// D^-1 (I - M), M the multipliers above the diagonal D. `x` holds this rank's band of the
// right-hand sides on entry and of the solutions on exit, its height x K: a rank has its band and
// another one's, never more. 2 n^2 K flops over the ranks, one rank's block after another's.
// Collective.

/// A x = b: x = Q U^-1 L^-1 P b. Each rank's block of x is sent to all as soon as it is known.
template <typename T>
void solve_columnwise(Team& team, const RowLayout& bands, const DenseRows<T>& rows,
                      const Elimination& elimination, Dense<T>& x);

/// A^T x = b: x = P^T L^-T U^-T Q^T b. Dense rows are columns of A^T: each rank sends what its own
/// give to another one's block of x there, a message a sweep to each.
template <typename T>
void solve_columnwise_transposed(Team& team, const RowLayout& bands, const DenseRows<T>& rows,
                                 const Elimination& elimination, Dense<T>& x);

}  // namespace spsolve::dense
