#pragma once

#include <span>
#include <vector>

#include "sparse/ranks/parallel_front.hpp"
#include "sparse/sweeps/row_products.hpp"

namespace spsolve::inline sparse {

/// The part of a solve with the factors F of a matrix, or with F^T, in one front that the ranks of
/// a team share; as FrontSweeps does with a front of one rank. Rows are those of the shared fronts,
/// K values each. Where a triangle is taken by its columns, each block's rank adds up what the
/// others' columns come to in its rows; where by its rows, it tells the others what it has found.
/// Either way the next block goes first. Messages: one of a block's rows for each block and pair of
/// ranks.
template <typename T>
class SharedSweeps {
 public:
  /// `first`: the number of the front's first pivot among the rows; `border`: the rows of its
  /// border.
  SharedSweeps(const ParallelFront<T>& front, Team& team, Factorization kind, LocalIndex first,
               std::span<const LocalIndex> border, bool transposed, Index columns,
               const Tiles& tiles);

  /// Solves for the pivots; b: this rank's share of what rows have come to, to be added up over
  /// ranks. The values of the pivots are in y of the rank that has their columns; their
  /// contributions to the border are taken off b of some rank.
  void forward(T* b, T* y);
  /// x of the pivots on every rank of the team, where x of the border is known on all of them.
  void backward(const T* y, T* x);

 private:
  using Block = OwnBlock<T>;

  Index begin(Index block) const { return blocks_.begin(block); }
  Index width(Index block) const { return blocks_.end(block) - blocks_.begin(block); }
  std::span<T> rows_of(Index block) {
    return {z_.data() + begin(block) * columns_, static_cast<std::size_t>(width(block) * columns_)};
  }
  const T* diagonal(const Block& block) const { return block.factors.at(block.begin); }
  LocalIndex out(Index pivot) const;

  template <typename Solve, typename Update>
  void by_columns(bool ascending, const Solve& solve, const Update& update);
  template <typename Solve, typename Update>
  void by_rows(bool ascending, const Solve& solve, const Update& update);
  void receive_sum(Index block);
  void sum_over_ranks();
  void gather_found();

  const ParallelFront<T>& front_;
  Team& team_;
  Factorization kind_;
  LocalIndex first_;
  std::span<const LocalIndex> border_;
  bool transposed_;
  Index columns_;
  const Tiles& tiles_;
  const ColumnBlocks& blocks_;
  row_products::SweepTriangles triangles_;
  std::vector<const Block*> own_;  // by number, null for others'
  std::vector<T> z_, received_;    // rows of pivots, then of the border
};

}  // namespace spsolve::sparse
