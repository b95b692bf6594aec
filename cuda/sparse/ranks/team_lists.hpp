#pragma once

#include <vector>

#include "cuda/sparse/ranks/team_program.hpp"

namespace spsolve::cuda::inline sparse {

/// A block of pivots of a shared front, as sweeps come to it.
struct SharedBlock {
  int depth = 0, owner = 0;   ///< of its front's team, and the rank there
  Index first = 0, rows = 0;  ///< among the shared rows
  int piece = -1;             ///< of the sweeps; -1: another rank's
};

/// The blocks that this rank meets, in the order of elimination.
std::vector<SharedBlock> shared_blocks(const TreePartition& tree, const TeamProgram& program);

/// The rows of the borders of own fronts, and after them those of panels.
std::vector<LocalIndex> borders_of(const TreePartition& tree, const TeamProgram& program);

/// The entries of A of panels, and where those of all of this rank's fronts begin: own ones first.
struct PanelEntries {
  std::vector<FrontEntry> entries;
  std::vector<Index> starts;
};
PanelEntries entries_of(const TreePartition& tree, const TeamProgram& program);

/// The lists by which rows of shared fronts add contributions of this rank's borders.
struct ContributionLists {
  std::vector<Index> starts;
  std::vector<unsigned> rows;
};
ContributionLists contribution_lists(const TreePartition& tree, const TeamProgram& program,
                                     const std::vector<LocalIndex>& border);

/// The piece of the sweeps that each of the places is in: own fronts in the first, each panel in
/// one of its own.
std::vector<int> pieces_of(const TeamProgram& program);

}  // namespace spsolve::cuda::sparse
