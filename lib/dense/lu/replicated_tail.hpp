#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "dense/lu/blocked_rows.hpp"
#include "solve/operators/pivot_statistics.hpp"
#include "team/team.hpp"

namespace spsolve::inline dense {

/// The rest of a team's matrix from column `first` on: all its rows go to every rank, which
/// eliminates them for itself. Few rows are sooner eliminated so than by ranks that wait for each
/// other's pivots, and nothing has to be dealt out again: every rank comes to the same bits.
template <typename T>
class ReplicatedTail {
 public:
  virtual ~ReplicatedTail() = default;

  /// The first of its columns, before which a panel ends.
  Index first() const { return first_; }

  /// Copies own active rows to its rows from `place` on. Hands back all its values, row after row
  /// with what pads them, in the matrix's own memory, where those of others are to come.
  virtual std::span<T> copy_active_rows(Index first_active, Index place) = 0;

  /// Its rows as those of a rank alone, when all have come.
  virtual BlockedRows<T>& rows() = 0;

  /// Own active rows take the eliminated values: row first_active + i those of row numbers[i]. In
  /// the columns before first() the rows first_active + i and swaps[i] change places, one pair
  /// after another.
  virtual void take(Index first_active, std::span<const Index> numbers,
                    std::span<const Index> swaps) = 0;

  /// L and U of the panel `columns`, eliminated, for BlockedSolution::solve(): empty where that
  /// keeps_factors(), which it does then.
  virtual std::vector<T> keep_factors(Range columns) = 0;

 protected:
  explicit ReplicatedTail(Index first) : first_(first) {}

 private:
  Index first_;
};

/// The outcome of an elimination of a team's rest, the same on every rank but for its own swaps.
struct EliminatedTail {
  std::vector<int> owner;    ///< of the row of each step
  std::vector<Index> row;    ///< its number in A
  std::vector<Index> swaps;  ///< row first_active + i of this rank and row swaps[i] changed places
  PivotStatistics pivots;
  double largest_upper = 0;  ///< max |u_ij| among its columns
  int redone_panels = 0;
};

/// Brings the rows `active` of every rank together, eliminates them by factor_lu() on every rank
/// and puts its own back, their numbers in A being `rows_here`. 2/3 m^3 flops on every rank for m
/// rows, each of which receives m^2 values. Errors are those of factor_lu(). Collective.
template <typename T>
EliminatedTail eliminate_tail(Team& team, Team& pivot_team, ReplicatedTail<T>& tail,
                              std::span<const Range> active, const std::vector<Index>& rows_here,
                              Pivoting pivoting);

}  // namespace spsolve::dense
