#pragma once

#include <vector>

#include "sparse/fronts/factors.hpp"
#include "sparse/fronts/tiles.hpp"

namespace spsolve::inline sparse {

/// A front with all that was delayed to it: n x n, column-major, of which the first `candidates`
/// rows and columns are fully summed. Symmetric and Hermitian ones are there with both triangles.
/// Pivots are taken column by column within panels, each column brought up to date when it is
/// looked at; the columns after a panel follow by matrix products. Cost 2/3 n^3 flops at most, n^2
/// entries.
template <typename T>
class ThresholdFront {
 public:
  /// All zeros. Pivots below `tiny` are not taken.
  ThresholdFront(Index n, Index candidates, Factorization kind, double tiny);

  T& at(Index i, Index j) { return f_[static_cast<std::size_t>(i + j * n_)]; }
  std::vector<LocalIndex> rows, columns;  ///< of the candidates; swapped as pivots are taken

  /// Takes pivots until no column that is left has one: those are the first done() rows and
  /// columns, L with a unit diagonal below U, or below D whose 2 x 2 blocks have off_diagonal().
  void eliminate(const Tiles& tiles, PivotCounts& counts);

  Index done() const { return done_; }
  const std::vector<T>& off_diagonal() const { return off_diagonal_; }

 private:
  void swap_rows(Index i, Index j);
  void swap_columns(Index i, Index j);
  void swap_both(Index first, Index i, Index j);
  /// Column j as the pivots first ... done leave it, in `column`.
  void refresh(Index first, Index j, std::vector<T>& column);
  /// Whether column j has a pivot, which is taken then.
  bool take(Index first, Index j, PivotCounts& counts);
  bool take_symmetric(Index first, Index j, PivotCounts& counts);
  void take_one(Index first, PivotCounts& counts);
  void take_pair(Index first, PivotCounts& counts);
  /// The rest of the front after the pivots first ... done.
  void update(Index first, const Tiles& tiles);

  Index n_, candidates_;
  bool symmetric_, hermitian_;  // of these a matrix across whose diagonal there are conjugates
  double tiny_;
  Index done_ = 0;
  std::vector<T> f_, products_, column_, second_, off_diagonal_;
};

}  // namespace spsolve::sparse
