#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sparse/fronts/factors.hpp"
#include "sparse/ranks/parallel_front.hpp"
#include "sparse/ranks/team_checkpointer.hpp"
#include "sparse/ranks/tree_partition.hpp"

namespace spsolve::inline sparse {

/// The teams that a rank works with, one for each depth of the halving; see range_at().
class NestedTeams {
 public:
  /// Splits `team` as often as the tree wants it. Collective.
  NestedTeams(Team& team, const TreePartition& tree);

  Team& at(int depth) const { return *teams_[depth]; }

 private:
  std::vector<std::unique_ptr<Team>> halves_;
  std::vector<Team*> teams_;
};

/// Factors of a sparse matrix that the ranks of a team make together: each rank eliminates its
/// subtrees as SparseFactors does, and the contribution blocks of these travel to the ranks that
/// share the fronts above, column by column to who has that column. A rank holds the factors of its
/// subtrees and its columns of shared fronts. The same bits for the same ranks, with any number of
/// threads. A rank alone has all fronts as SparseFactors, and talks to nobody.
template <typename T>
class TeamFactors final : public CheckpointableTeamFronts {
 public:
  /// Throws std::bad_alloc on this rank alone; talks to nobody.
  TeamFactors(Team& team, const TreePartition& tree, const NestedTeams& teams, int threads);

  /// Factors the matrix with this rank's values, in the order of its entries. `advance` is called
  /// with the flops of this rank's part of each piece of work. The counts of all ranks; a failure
  /// is the number of a pivot among those of a rank or of the shared fronts. Throws on every rank
  /// where one has not enough memory. With a `checkpointer`, where all ranks have one, it goes on
  /// from what that has. Collective.
  PivotCounts factor(const std::vector<double>& values, const PivotRule& rule,
                     const Advance& advance = {}, TeamCheckpointer* checkpointer = nullptr);

  /// Null where this rank has no part in it.
  const ParallelFront<T>* shared(LocalIndex s) const { return shared_[s] ? &*shared_[s] : nullptr; }

  SparseFactors<T>& own() override { return own_; }
  bool is_done(LocalIndex s) const override { return done_[s] != 0; }
  bool name(LocalIndex s, bool waits, SectionBytes& bytes) override;
  bool name_under_way(LocalIndex s, Index panel, SectionBytes& bytes) override;
  void release_contribution(LocalIndex s) override { shared_[s]->release(); }
  bool name_totals(SectionBytes& bytes) override;
  std::int64_t bytes_of(LocalIndex s) const override;
  std::int64_t contribution_bytes(LocalIndex s) const override;

 private:
  using ContributingChild = TreePartition::ContributingChild;

  /// The arguments of a call of factor().
  struct Run {
    const std::vector<double>& values;
    const PivotRule& rule;
    const Advance& advance;
    TeamCheckpointer* checkpointer;
  };
  /// A shared front that is eliminated up to a panel.
  struct UnderWay {
    LocalIndex front = -1;
    Index panel = 0;
    PivotCounts counts;
  };

  const T* contribution_values(const ContributingChild& child, Index column) const;
  void release(const ContributingChild& child);
  template <typename Work>
  bool all_can(LocalIndex s, bool ready, std::optional<Failure>& failure, const Work& work);
  bool extend_add(LocalIndex s, std::span<const ContributingChild> children,
                  std::optional<Failure>& failure);
  bool assemble(LocalIndex s, const std::vector<double>& values, std::optional<Failure>& failure);
  bool eliminate(LocalIndex s, const Run& run, PivotCounts& counts);
  void eliminate_shared(const Run& run, PivotCounts& counts, std::optional<Failure>& failure);

  Team& team_;
  const TreePartition& tree_;
  const NestedTeams& teams_;
  int threads_;
  SparseFactors<T> own_;
  std::vector<std::optional<ParallelFront<T>>> shared_;
  std::vector<char> done_;  // each shared front
  PivotCounts of_shared_;   // of those that are done
  UnderWay under_way_;
};

/// Bytes that `part`'s rank takes for factors with values of so many bytes.
FactorMemory team_factor_memory(const TreePartition& part, int threads, std::size_t value_bytes);

}  // namespace spsolve::sparse
