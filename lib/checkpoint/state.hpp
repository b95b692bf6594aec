#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "eliminate/options.hpp"

namespace spsolve {

/// What a checkpoint belongs to: a dense matrix and the way it is eliminated. Nothing of it depends
/// on the number of ranks, on panels or on devices, and right-hand sides are no part of it: the
/// factors serve any.
struct EliminatedProblem {
  Index order = 0;
  Method method = Method::lu;
  Pivoting pivoting = Pivoting::partial;
  Precision precision = Precision::float64;
  std::uint64_t matrix = 0;  ///< checksum of the non-zeros and of their scale factors

  /// One number for all of it, for names of files.
  std::uint64_t fingerprint() const;

  bool operator==(const EliminatedProblem&) const = default;
};

/// How far an elimination is at a boundary: between two columns or two panels, nothing in flight.
/// Together with the dense rows of all ranks, it is all that the rest of the elimination needs.
struct EliminationState {
  Index step = 0;   ///< columns that are eliminated
  Index block = 0;  ///< lu: rows of a cyclic block

  /// lu: the rows of A in the order of elimination; else the row that step k swapped with row k.
  /// `step` of them.
  std::vector<Index> pivot_rows;
  /// The column that step k swapped with column k; empty without complete pivoting.
  std::vector<Index> column_swaps;
  /// lu: the column behind each panel so far, the last one is `step`.
  std::vector<Index> panel_ends;
  /// This rank's rows, place by place: lu: rows of A, those eliminated with at the top, in the
  /// order of elimination; else the rows of its band.
  std::vector<Index> rows;

  double largest_entry = 0;   ///< of A
  double largest_upper = 0;   ///< of the pivot rows so far, where that is known
  double smallest_pivot = 0;  ///< of those so far, where that is known
  double largest_pivot = 0;
  Index redone_panels = 0;
};

}  // namespace spsolve
