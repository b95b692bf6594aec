#pragma once

#include <vector>

#include "sparse/layout/device_layout.hpp"
#include "sparse/ranks/tree_partition.hpp"

namespace spsolve::inline sparse {

/// Panels of other ranks that a GPU reads, or that are on their way to it, at the same time.
inline constexpr int panel_buffers = 3;

/// How a front that the GPUs of several ranks share lies in their memory. Each block of its pivots
/// is a front of its own on its rank's GPU, a panel: its border are all rows of the front after it,
/// zeros between the last pivot and the border where that begins at a multiple of front_alignment.
/// The contribution block of the front lies there in blocks of columns.
class PanelLayout {
 public:
  PanelLayout() = default;
  PanelLayout(Factorization kind, const ColumnBlocks& blocks)
      : kind_(kind),
        blocks_(blocks),
        pivots_(static_cast<int>(blocks.pivots())),
        border_(static_cast<int>(blocks.border())) {}

  const ColumnBlocks& blocks() const { return blocks_; }
  int pivots() const { return pivots_; }
  int border() const { return border_; }

  /// Rows between the pivots and the border.
  int gap() const { return aligned(pivots_) - pivots_; }

  /// The shape of panel `block`, placed nowhere.
  FrontLayout panel(Index block) const;

  /// A block of columns of the contribution block, of the border's rows from first_row on.
  struct ContributionColumns {
    int first_column = 0, columns = 0;  ///< of the border
    int first_row = 0;
    int ld = 0;
    Index elements() const { return aligned(static_cast<Index>(ld) * columns); }
  };
  ContributionColumns contribution(Index block) const;

  /// Where in panel `block` row `row` of the front lies: `row` pivots or more, or of the border.
  int row_in(Index block, Index row) const {
    const Index behind = row - blocks_.begin(block);
    return static_cast<int>(row < pivots_ ? behind : behind + gap());
  }

 private:
  Factorization kind_ = Factorization::lu;
  ColumnBlocks blocks_;
  int pivots_ = 0, border_ = 0;
};

/// A rectangle of a child's contribution block for a shared front, as it is assembled into a block
/// of that front: rows and columns count in the child's border, ranks among all.
struct FrontShare {
  enum class Target { lower, upper, contribution };
  std::size_t child = 0;        ///< its number among the children
  Index child_block = -1;       ///< that it lies in, where the child is a shared front
  Index block = 0;              ///< of the front
  Target part = Target::lower;  ///< of the block; upper takes rows in as columns
  Range rows, columns;
  int from = 0, to = 0;

  Index elements() const { return rows.size() * columns.size(); }
};

/// All that goes into shared front `s` from these children of it, the same on every rank: child by
/// child, and block by block. For symmetric factorisations it is the lower triangle, with more in
/// rectangles on the diagonal.
std::vector<FrontShare> shares_of(const TreePartition& tree, LocalIndex s,
                                  std::span<const TreePartition::ContributingChild> children);

/// Bytes that a rank's GPU takes for factors in double, of an elimination that all share.
GpuFactorMemory gpu_memory_in_team(const TreePartition& tree);

/// The entries of A in a rank's panels of shared front `s`, by block: as FrontEntry has them of the
/// panel as a front.
std::vector<std::vector<FrontEntry>> panel_entries(const TreePartition& tree, LocalIndex s);

/// The rows of a panel's border as vectors have them, whose rows of shared fronts begin at
/// own.order(); in the gap is a row that is known before the panel's in a backward sweep.
std::vector<LocalIndex> panel_border(const TreePartition& tree, LocalIndex s, Index block);

}  // namespace spsolve::sparse
