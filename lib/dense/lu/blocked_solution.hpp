#pragma once

#include <span>

#include "core/types.hpp"

namespace spsolve::inline vectors {
class Vectors;
}

namespace spsolve::inline dense {

/// Which triangle of an eliminated matrix: L with its unit diagonal not stored, or U.
enum class Triangle { unit_lower, upper };

/// Where the rows of a team's right-hand sides and solutions are.
struct SolutionOrder {
  std::span<const Index> places;  ///< of step k, among the rows that its panel gathers
  std::span<const Index>
      in_panel;  ///< of own local row i: its number among the pivots of its panel
  Range band;    ///< the rows of x that this rank hands back
};

/// K right-hand sides on their way through the eliminated rows of one rank, in the own memory of
/// its BlockedRows. Multivectors are row-major. In a team a rank has a sum c for each own row
/// (height x K), the x of one panel (panel width x K) and its band of the solution, nothing of
/// n x K. Calls may return before they are done; values in host memory may change when a call has
/// returned.
template <typename T>
class BlockedSolution {
 public:
  virtual ~BlockedSolution() = default;

  // --- of a rank alone

  /// Step k eliminated with row order[k] of A: P of P A = L U, for solve_whole().
  virtual void take_order(std::span<const Index> order) = 0;

  /// x <- U^-1 L^-1 P b, or with `transposed` P^T L^-T U^-T b, by the whole eliminated matrix and
  /// in T, for vectors in its memory; x may be b.
  virtual void solve_whole(bool transposed, const Vectors& b, Vectors& x) = 0;

  // --- in a team

  /// Begins anew: c <- `sums`, in host memory.
  virtual void begin(std::span<const T> sums, const SolutionOrder& order, Index columns) = 0;

  /// Memory for so many values of sums on their way between ranks, the same until the next begin()
  /// or until more are asked for.
  virtual std::span<T> buffer(Index size) = 0;

  /// Copies c(rows, :) to `packed`, a part of the buffer.
  virtual void pack_sums(Range rows, std::span<T> packed) = 0;

  /// x <- T^-1 times the panel's rows of `gathered`, a part of the buffer, for a triangle T of the
  /// panel's `factors`, in host memory (L and U, row-major, panel width squared).
  virtual void solve(Triangle triangle, Range panel, std::span<const T> factors,
                     std::span<const T> gathered) = 0;

  /// c(rows, :) <- c(rows, :) - A(rows, panel) x for the x of that panel, the latest.
  virtual void subtract_product(Range rows, Range panel) = 0;

  /// c(i, :) <- x(in_panel[i], :) for i in `rows`, the latest panel's own pivot rows.
  virtual void keep_sums(Range rows) = 0;

  /// The band's part of the solution, where `panel`, the latest, has one, is that of x.
  virtual void keep_band(Range panel) = 0;

  /// Copies the band of the solution to `band`, in host memory; done when it returns.
  virtual void read(std::span<T> band) = 0;

  // --- in a team, with A^T: c has what own rows solved for

  /// Begins anew with the band of the right-hand sides, in host memory. No places are needed.
  virtual void begin_transposed(std::span<const T> band, const SolutionOrder& order,
                                Index columns) = 0;

  /// packed <- what this rank has of the right-hand sides of a panel, panel width x K in a part of
  /// the buffer, zeros elsewhere: the band's part, or c of the panel's own pivot rows `rows`.
  virtual void pack_band(Range panel, std::span<T> packed) = 0;
  virtual void pack_pivots(Range rows, std::span<T> packed) = 0;

  /// packed <- packed - A(rows, panel)^T c(rows, :)
  virtual void subtract_transposed_product(Range rows, Range panel, std::span<T> packed) = 0;

  /// x <- T^-T times the sum of all ranks' parts of `gathered`, one after another; see solve().
  virtual void solve_transposed(Triangle triangle, Range panel, std::span<const T> factors,
                                std::span<const T> gathered) = 0;

  /// Copies c to `sums`, in host memory; done when it returns.
  virtual void read_sums(std::span<T> sums) = 0;

  /// Whether solve() has the factors of a team's panels in its own memory, and does without those
  /// in host memory, but for panels of a checkpoint.
  virtual bool keeps_factors() const { return false; }
};

}  // namespace spsolve::dense
