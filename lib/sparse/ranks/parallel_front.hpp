#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/untouched_array.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"
#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/tiles.hpp"
#include "sparse/ranks/column_blocks.hpp"
#include "team/team.hpp"

namespace spsolve::inline sparse {

/// Rows first_row ... first_row + rows - 1 of a block of columns, column-major.
template <typename T>
struct BlockPart {
  T* values = nullptr;
  Index first_row = 0, rows = 0;

  /// Where a row of the front lies in the block's first column.
  T* at(Index row) const { return values + row - first_row; }
  Index ld() const { return rows; }
};

/// A block of columns of a front that this rank has. For L U all rows of the front are there, else
/// those from the diagonal on.
template <typename T>
struct OwnBlock {
  Index number = 0;           ///< of the front's blocks
  Index begin = 0, end = 0;   ///< columns of the front
  BlockPart<T> factors;       ///< of the factors: L and U11, or U12
  BlockPart<T> contribution;  ///< of a block of the border, its rows there

  Index width() const { return end - begin; }
};

/// One rank's columns of a front that the ranks of a team eliminate together: a right-looking
/// elimination by blocks of columns, of which the next is factored and on its way while the others
/// are updated. Pivots are those of a front that one rank eliminates: from its own fully summed
/// rows, which the rank that has a column has all of.
template <typename T>
class ParallelFront {
 public:
  /// `rank`: in the front's team. Throws std::bad_alloc.
  ParallelFront(Factorization kind, const ColumnBlocks& blocks, int rank);
  ~ParallelFront();
  ParallelFront(ParallelFront&&) noexcept;

  const ColumnBlocks& blocks() const { return blocks_; }
  std::span<const OwnBlock<T>> own() const { return own_; }
  /// The row of the front that each pivot was taken from, on every rank of the team.
  const std::vector<LocalIndex>& rows() const { return rows_; }
  /// The entries of D next to its diagonal, for the pivots of this rank's blocks.
  const std::vector<T>& off_diagonal() const { return off_diagonal_; }

  /// Makes room for the contribution block and for panels, and all values 0. Throws std::bad_alloc.
  void begin();
  /// Adds to rows[from], rows[from + 1], ... of a column that this rank has.
  void add(Index column, std::span<const LocalIndex> rows, const T* values);
  void add(Index row, Index column, T value);
  /// Column `column`, of the border, from its diagonal on (or from the border's first row, of L U).
  const T* contribution(Index column) const;

  /// Eliminates the pivots. Where that fails counts.failed is the pivot, on every rank; counts are
  /// of this rank's pivots. A message from each block's rank to each other, of the panel. `team`:
  /// the front's. `between` is called before each panel but the first is used, while no message is
  /// on its way; `from`: the panel that a front was kept before. Collective there.
  void eliminate(Team& team, const PivotRule& rule, const Tiles& tiles, PivotCounts& counts,
                 const std::function<void(Index panel)>& between = {}, Index from = 0);
  /// Releases the contribution block.
  void release();

  // --- to be kept, as CheckpointableFronts has it

  bool name(bool waits, SectionBytes& bytes);
  /// Names the state of a front that is eliminated up to `panel`, which is factored and not used
  /// yet.
  bool name_under_way(Index panel, SectionBytes& bytes);
  /// Bytes of this rank's columns, and of those of the contribution block.
  std::int64_t bytes() const { return factors_.bytes(); }
  std::int64_t contribution_bytes() const {
    return contribution_size_ * static_cast<Index>(sizeof(T));
  }

 private:
  struct Panel;

  const OwnBlock<T>* own_block(Index number) const;
  void make_panels();
  void make_room_above();
  Panel& panel_for(Index number);
  void factor_panel(Index number, const PivotRule& rule, Panel& panel, PivotCounts& counts);
  void start_panel(Team& team, Index number, const PivotRule& rule, PivotCounts& counts);
  void note_rows(const Panel& panel);
  void prepare_block(const Panel& panel, const OwnBlock<T>& block, T* products) const;
  void update_rows(const Panel& panel, const OwnBlock<T>& block, const T* products,
                   const BlockPart<T>& part, Index from, Index to) const;
  void update(const Panel& panel, std::span<const OwnBlock<T>* const> blocks, const Tiles& tiles);

  Factorization kind_;
  ColumnBlocks blocks_;
  int rank_;
  std::vector<OwnBlock<T>> own_;
  std::vector<LocalIndex> rows_;
  std::vector<T> off_diagonal_;
  UntouchedArray<T> factors_, contribution_;
  std::vector<Panel> panels_;
  std::vector<T> products_;  // L D of each own block
  Index contribution_size_ = 0;
};

/// Entries of the factors and of the contribution block that `rank` of a front's team has.
struct ParallelFrontSize {
  Index factors = 0, contribution = 0;
};
ParallelFrontSize parallel_front_size(Factorization kind, const ColumnBlocks& blocks, int rank);

}  // namespace spsolve::sparse
