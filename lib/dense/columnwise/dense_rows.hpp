#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline dense {

/// The entry of largest absolute value in some part of a matrix. `row` and `column` are global;
/// row < 0 where the part is empty. A magnitude that is not finite says that the part holds an
/// infinity or a nan.
struct PivotCandidate {
  double magnitude = -1.0;
  Index row = -1;
  Index column = -1;
};

/// The outcome of a run of steps, see DenseRows::eliminate_run().
struct EliminatedRun {
  std::vector<PivotCandidate> pivots;  ///< one a step; the last is zero or not finite where the run
                                       ///< ended before its last column
  double largest_in_pivot_rows = 0;    ///< max |u_kj|, j >= k, over the steps that were done
};

/// The operation of the diagonal block of a rank's rows on x, see DenseRows::apply_block(). L is
/// its unit lower triangle of multipliers, U its upper triangle, M its multipliers above the
/// diagonal.
enum class BlockOperation {
  solve_unit_lower,             ///< x <- L^-1 x
  solve_upper,                  ///< x <- U^-1 x
  jordan_upper,                 ///< x <- (I - M) x
  solve_unit_lower_transposed,  ///< x <- L^-T x
  solve_upper_transposed,       ///< x <- U^-T x
  jordan_upper_transposed,      ///< x <- (I - M)^T x
};

/// One rank's own rows of the dense n x n matrix that is being eliminated, and its operations on
/// them. All row and column numbers are global; rows are always this rank's own. Spans of rows are
/// in the matrix's own memory (host or device), as is row_buffer(); multivectors are row-major with
/// `columns` values in a row, live on the host, and hold the rank's own rows, or those of another
/// rank's block: never all.
template <typename T>
class DenseRows {
 public:
  virtual ~DenseRows() = default;

  /// The rows that this rank holds.
  virtual Range range() const = 0;

  /// The order n of the whole matrix.
  virtual Index order() const = 0;

  /// Largest |a_ij| over own rows i in `rows` and columns j in `columns`; the first in row order,
  /// then column order, among equals, so that every way of dealing out rows finds the same one.
  virtual PivotCandidate find_pivot(Range rows, Range columns) const = 0;

  /// Takes right-hand sides along, own rows x `columns`: from here on they are the columns n to
  /// width() of the rows, which swap_rows(), load_row(), store_row(), eliminate() and
  /// eliminate_run() treat like the others. What row buffers held is lost.
  virtual void carry(std::span<const T> right_hand_sides, Index columns) = 0;

  /// n, and the right-hand sides that are carried along.
  virtual Index width() const = 0;

  /// Writes the right-hand sides as they are now, own rows x columns; none go along from here on.
  virtual void release_carried(std::span<T> right_hand_sides) = 0;

  /// What step `column` of Method::gauss_jordan, done before, does to right-hand sides that are
  /// carried since: for every own row i but that of the pivot, with the pivot row p in row buffer
  /// 0: a_ij <- a_ij - a_ik p_j for n <= j < width(), k = `column`. The same elements as by
  /// eliminate() and eliminate_run().
  virtual void repeat_step(Index column) = 0;

  /// Two buffers of width() values for rows that travel between ranks.
  virtual std::span<T> row_buffer(int which) = 0;

  /// Copies a_row,j for j in `columns` to or from the same positions of a row buffer.
  virtual void load_row(Index row, Range columns, int buffer) = 0;
  virtual void store_row(Index row, Range columns, int buffer) = 0;

  /// Copies whole rows from and to host memory, row-major without gaps.
  virtual void read_rows(Range rows, std::span<T> values) const = 0;
  virtual void write_rows(Range rows, std::span<const T> values) = 0;

  virtual void swap_rows(Index a, Index b) = 0;

  /// Swaps two columns of all own rows.
  virtual void swap_columns(Index a, Index b) = 0;

  /// One step of elimination: for every own row i in `rows`, with the pivot row p in row buffer 0:
  /// m = a_ik / p_k;  a_ij <- a_ij - m p_j for k < j < width();  a_ik <- m, k = `column`.
  virtual void eliminate(Index column, Range rows) = 0;

  /// How many columns from `first` on eliminate_run() may do at once where this rank holds all
  /// rows: so few that whoever waits for the end of a run need not wait long, about 20 ms. 0: there
  /// are no runs, eliminate step by step.
  virtual Index longest_run(Index, Method, Pivoting) const { return 0; }

  /// Steps k in `columns` of an elimination by Method::gauss or gauss_jordan, of a rank that holds
  /// all rows: finds the pivot, swaps rows, and eliminates below or below and above, without asking
  /// anybody in between; the same elements as by find_pivot(), swap_rows() and eliminate(). A
  /// pivot that is zero or not finite ends the run before its step. The row buffers are lost.
  virtual EliminatedRun eliminate_run(Range, Method, Pivoting) { return {}; }

  /// Applies `operation` with the block of own rows and their columns to x, own rows x `columns`.
  virtual void apply_block(BlockOperation operation, std::span<T> x, Index columns) const = 0;

  /// y <- y - A(own rows, block) x for y of own rows x `columns`, x of the block's rows x
  /// `columns`.
  virtual void subtract_product(Range block, std::span<const T> x, std::span<T> y,
                                Index columns) const = 0;

  /// c <- c - A(own rows, block)^T x for x of own rows x `columns`, c of the block's columns x
  /// `columns`.
  virtual void subtract_transposed_product(Range block, std::span<const T> x, std::span<T> c,
                                           Index columns) const = 0;

  /// Divides x(i, :) by a_ii for own rows i; x is own rows x `columns`.
  virtual void divide_by_diagonal(std::span<T> x, Index columns) const = 0;
};

}  // namespace spsolve::dense
