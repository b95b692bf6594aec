#pragma once

#include <memory>
#include <vector>

#include "sparse/analysis/analysis.hpp"
#include "sparse/ranks/column_blocks.hpp"
#include "sparse/ranks/proportional_mapping.hpp"
#include "team/team.hpp"

namespace spsolve::inline sparse {

/// One rank's part of an elimination that all ranks of a team share: the fronts that are its own,
/// which are whole subtrees, and the fronts above them, which several ranks share. Rows of the
/// shared fronts are numbered from 0 in their order; after its own rows a rank's fronts name them
/// from own().order() on.
///
/// A rank alone has all of the analysis, which it shares instead of a copy, and all values in A's
/// order; its rows stay in that order, too: rows and columns are not listed.
struct TreePartition {
  Factorization kind = Factorization::lu;
  SharingRule rule;  ///< of the shared fronts
  int rank = 0, ranks = 1;

  std::shared_ptr<const SparseAnalysis> whole;  ///< of a rank alone
  Fronts dealt;                                 ///< own(), of a rank of several
  FrontEntries dealt_entries;                   ///< own_entries(), likewise

  /// Roots have a border where they pass something up.
  const Fronts& own() const { return whole != nullptr ? whole->fronts : dealt; }
  /// Source: the place among this rank's values.
  const FrontEntries& own_entries() const {
    return whole != nullptr ? whole->entries : dealt_entries;
  }
  StackBound stack_bound() const { return whole != nullptr ? whole->stack_bound : StackBound{}; }
  /// Those of a rank alone; ranks of several eliminate one block.
  const OffDiagonalBlocks& off_diagonal_blocks() const;

  Fronts shared;                  ///< of all ranks, the same on each
  std::vector<RankRange> teams;   ///< of each shared front
  std::vector<LocalIndex> depth;  ///< of these teams; see range_at()
  /// Subtrees of single ranks right below each shared front: the rank, the topmost front's number
  /// there, and where the rows of its border stand in the shared front.
  std::vector<Index> subtree_starts{0};  ///< shared fronts + 1
  std::vector<LocalIndex> subtree_rank, subtree_root;
  std::vector<Index> root_position_starts{0};  ///< hanging subtrees + 1
  std::vector<LocalIndex> root_positions;
  /// Entries of A in this rank's columns of each shared front: row and column in the front.
  FrontEntries shared_entries;

  /// The rows and columns of A of this rank's pivots, its own first, then those of the shared
  /// fronts that it is the first rank of.
  std::vector<Index> rows, columns;
  std::vector<LocalIndex> shared_rows;  ///< the numbers of the latter

  Index values() const {
    return static_cast<Index>(own_entries().entries.size() + shared_entries.entries.size());
  }
  LocalIndex subtrees() const { return static_cast<LocalIndex>(subtree_rank.size()); }
  std::span<const LocalIndex> root_positions_of(Index subtree) const {
    return {root_positions.data() + root_position_starts[subtree],
            root_positions.data() + root_position_starts[subtree + 1]};
  }
  ColumnBlocks blocks(LocalIndex s) const {
    return {rule, shared.pivots(s), shared.border_size(s), teams[s].count, s};
  }

  /// Which half, 0 or 1, this rank is in each time that its team is halved, as often as teams of
  /// shared fronts want it.
  std::vector<int> halves() const;

  /// Whether a block of a shared front is this rank's.
  bool owns(LocalIndex s, Index block) const {
    return teams[s].first + blocks(s).owner(block) == rank;
  }
  /// The row of vectors, whose shared rows follow the own ones, that rows[i] and columns[i] are.
  LocalIndex row_of(LocalIndex i) const {
    const LocalIndex n = own().order();
    return i < n ? i : n + shared_rows[i - n];
  }

  /// The source of columns of a contribution block for a shared front: a front below it, or a
  /// subtree that hangs there.
  struct ContributingChild {
    Index subtree = -1;
    LocalIndex shared = -1;                 ///< -1 for a subtree
    std::span<const LocalIndex> positions;  ///< of the columns, in the front above
  };
  std::vector<ContributingChild> contributing_children(LocalIndex s) const;
  /// The rank, of all, that has a column of a child's contribution block.
  int owner_of_contribution(const ContributingChild& child, Index column) const;
  /// Children that contribute at the same time, in their order: as many as have few values
  /// together, or one.
  static std::vector<std::span<const ContributingChild>> batches(
      std::span<const ContributingChild> children);

  std::int64_t bytes() const;

  /// Checksum of what decides this rank's course.
  std::uint64_t checksum() const;
};

/// Each rank's part of the analysis that rank 0 has, one rank's after the other: rank 0 holds no
/// more than two of them in addition to its own, the next one made while one travels. Other ranks
/// pass null. `rule`: of shared fronts. Throws std::bad_alloc on every rank. Collective.
TreePartition deal_analysis(Team& team, const std::shared_ptr<const SparseAnalysis>& analysis,
                            Factorization kind, const SharingRule& rule);

/// The part of `rank`, by an analysis whose fronts are dealt out so.
TreePartition part_of(const SparseAnalysis& analysis, Factorization kind, const SharingRule& rule,
                      const ProportionalMapping& teams, int rank);

/// Which ranks eliminate which fronts, of so many ranks.
ProportionalMapping deal_fronts(const SparseAnalysis& analysis, Factorization kind,
                                const SharingRule& rule, int ranks);

}  // namespace spsolve::sparse
