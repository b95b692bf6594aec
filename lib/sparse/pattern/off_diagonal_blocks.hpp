#pragma once

#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::inline sparse {

/// Where an entry of A outside of all fronts lies.
struct OffDiagonalEntry {
  Index source;            ///< its place among the values of A
  LocalIndex row, column;  ///< their positions in the order of elimination
};

/// The entries of A outside of the diagonal blocks of its block triangular form. Each block is a
/// tree of the forest of fronts, eliminated by itself; solves go from block to block, and take what
/// is known of x to the other side by these entries.
struct OffDiagonalBlocks {
  /// Topmost fronts of the blocks in the order of solves: a block whose rows have entries in
  /// columns of another comes after that one. Empty where A is one block.
  std::vector<LocalIndex> roots;
  std::vector<Index> starts;              ///< roots + 1; empty with them
  std::vector<OffDiagonalEntry> entries;  ///< of the rows of one block after the other

  bool empty() const { return entries.empty(); }
};

/// `block` of each position in the order of elimination, empty for one block; `row_place`,
/// `column_place`: the position of each row and column of A. Cost: a pass over A.
OffDiagonalBlocks off_diagonal_blocks_of(const Csr<double>& matrix, const Fronts& fronts,
                                         const std::vector<LocalIndex>& block,
                                         const std::vector<LocalIndex>& row_place,
                                         const std::vector<LocalIndex>& column_place);

}  // namespace spsolve::sparse
