#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "eliminate/options.hpp"

namespace spsolve {

/// The entry of largest absolute value in some part of a matrix. `row` and `column` are global;
/// row < 0 where the part is empty. A magnitude that is not finite says that the part holds an
/// infinity or a nan.
struct PivotCandidate {
  double magnitude = -1.0;
  Index row = -1;
  Index column = -1;
};

/// What a run of steps did, see Band::eliminate_run().
struct EliminatedRun {
  std::vector<PivotCandidate> pivots;  ///< one a step; the last is zero or not finite where the run
                                       ///< ended before its last column
  double largest_in_pivot_rows = 0;    ///< max |u_kj|, j >= k, over the steps that were done
};

/// The products and triangular solves of a band's diagonal block, see Band::apply_block().
enum class BlockOperation {
  solve_unit_lower,  ///< x <- L^-1 x, L = unit lower triangle of multipliers
  solve_upper,       ///< x <- U^-1 x, U = upper triangle
  jordan_upper,      ///< x_i <- x_i - sum over k > i of m_ik x_k, multipliers above the diagonal
};

/// What one rank can do with its own rows of the dense n x n matrix that is being eliminated.
/// All row and column numbers are global; rows are always this band's own. Spans of rows are in
/// the band's own memory space (host or device), as is row_buffer(); multivectors are row-major
/// with `columns` values in a row, and live on the host.
template <typename T>
class Band {
 public:
  virtual ~Band() = default;

  /// The rows that this band holds.
  virtual Range rows() const = 0;

  /// The order n of the whole matrix.
  virtual Index order() const = 0;

  /// Largest |a_ij| over own rows i in `rows` and columns j in `columns`; the first in row order,
  /// then column order, among equals, so that every way of dealing out rows finds the same one.
  virtual PivotCandidate find_pivot(Range rows, Range columns) const = 0;

  /// Two buffers of n values for rows that travel between ranks.
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
  /// m = a_ik / p_k;  a_ij <- a_ij - m p_j for j > k;  a_ik <- m, k = `column`.
  virtual void eliminate(Index column, Range rows) = 0;

  /// How many columns from `first` on eliminate_run() may do at once where this band holds all
  /// rows: so few that whoever waits for the end of a run need not wait long, about 20 ms. 0: there
  /// are no runs, eliminate step by step.
  virtual Index longest_run(Index, Method, Pivoting) const { return 0; }

  /// Steps k in `columns` of an elimination by Method::gauss or gauss_jordan, of a band that holds
  /// all rows: finds the pivot, swaps rows, and eliminates below or below and above, without asking
  /// anybody in between; the same elements as by find_pivot(), swap_rows() and eliminate(). A
  /// pivot that is zero or not finite ends the run before its step. The row buffers are lost.
  virtual EliminatedRun eliminate_run(Range, Method, Pivoting) { return {}; }

  /// Applies `operation` with the block of rows and columns `rows` to x(rows, :).
  virtual void apply_block(BlockOperation operation, Range rows, std::span<T> x,
                           Index columns) const = 0;

  /// y(rows, :) <- y(rows, :) - A(rows, block) x(block, :); x and y are whole n x `columns`
  /// multivectors.
  virtual void subtract_product(Range rows, Range block, std::span<const T> x, std::span<T> y,
                                Index columns) const = 0;

  /// Divides x(i, :) by a_ii for own rows i.
  virtual void divide_by_diagonal(std::span<T> x, Index columns) const = 0;
};

}  // namespace spsolve
