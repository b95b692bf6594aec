#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve {

/// Where an entry of A outside of all fronts lies.
struct Coupling {
  Index source;       ///< its place among the values of A
  LocalIndex column;  ///< its place in the order of elimination
};

/// The entries of A outside of the diagonal blocks of its block triangular form. Each block is a
/// tree of the forest of fronts, eliminated by itself; solves go from block to block, and take what
/// is known of x to the other side by these entries.
struct Couplings {
  std::vector<Index> starts;      ///< n + 1, by rows in the order of elimination; empty for none
  std::vector<Coupling> entries;  ///< row by row
  /// Topmost fronts of the blocks in the order of solves: those that an entry couples with columns
  /// of another block come behind that one.
  std::vector<LocalIndex> roots;

  bool empty() const { return entries.empty(); }
  std::span<const Coupling> of_row(LocalIndex row) const {
    return {entries.data() + starts[row], entries.data() + starts[row + 1]};
  }
};

/// `block` of each position in the order of elimination, empty for one block; `row_place`,
/// `column_place`: the position of each row and column of A. Cost: a pass over A.
Couplings couplings_of(const Csr<double>& matrix, const Fronts& fronts,
                       const std::vector<LocalIndex>& block,
                       const std::vector<LocalIndex>& row_place,
                       const std::vector<LocalIndex>& column_place);

}  // namespace spsolve
