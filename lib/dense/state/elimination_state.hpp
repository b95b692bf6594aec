#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "core/types.hpp"

namespace spsolve::inline dense {

// An elimination of dense rows keeps two sections in a checkpoint,
//
//     elimination   how far it is: numbers, lengths of lists, lists; 8 bytes a number
//     rows          the dense rows of the rank, place by place, without gaps
//
// from which it goes on over any number of ranks.

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
  /// lu: the column after each panel so far, the last one is `step`.
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

/// Writes whole rows [first, first + count) of a rank, place by place, without gaps.
using RowsOut = std::function<void(Index first, Index count, std::span<std::byte> rows)>;

/// Takes such rows back.
using RowsIn = std::function<void(Index first, Index count, std::span<const std::byte> rows)>;

/// The bytes of rows as what they hold.
template <typename T>
std::span<T> values_in(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <typename T>
std::span<const T> values_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Bytes of one dense row.
std::size_t row_bytes(const EliminatedProblem& problem);

/// Writes both sections after the sections that the file holds.
void write_elimination(SectionWriter& file, const EliminatedProblem& problem,
                       const EliminationState& state, const RowsOut& rows);

/// The state of a file's section "elimination", which comes with as many rows as it says. Refuses a
/// state that contradicts itself or the file's problem by an Error(input).
EliminationState read_elimination(const CheckpointReader& file);

/// The dense rows at the places [first, first + rows.size() / row_bytes) of a file.
void read_rows(const CheckpointReader& file, Index first, std::span<std::byte> rows);

/// The state of the newest good generation (Checkpoints::resume()), all of whose files are of one
/// step and hold all rows of A; nothing where there is none. `rows` of the state are those of this
/// rank where the rows were dealt out to as many ranks in blocks of `block` rows, and empty
/// otherwise. Collective.
std::optional<EliminationState> resume_elimination(Checkpoints& checkpoints, Precision precision,
                                                   Index block);

/// Gives `take` the dense rows of that generation: what the state calls row rows[i], for place i.
/// Collective.
void load_rows(Checkpoints& checkpoints, const std::vector<Index>& rows, const RowsIn& take);

/// Does what all ranks wish for (Checkpoints::keep()). Collective.
void save_elimination(Checkpoints& checkpoints, CheckpointRequest agreed,
                      const EliminationState& state, const RowsOut& rows);

}  // namespace spsolve::dense
