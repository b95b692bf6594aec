#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "sparse/checkpoint/checkpointed_stages.hpp"
#include "sparse/ranks/sync_points.hpp"
#include "sparse/ranks/team_checkpointer.hpp"

namespace spsolve::inline sparse {

// Sections that a rank keeps, in its own file of a checkpoint, of a sparse elimination:
//
//     sparse elimination   how far its own fronts are, and what they came to
//     fronts K             own fronts that were done between two checkpoints (FrontParts)
//
// and of one that several ranks share:
//
//     shared K             its columns of shared fronts, likewise
//     shared elimination   at which sync point of the ranks that was, and the totals of the shared
//                          fronts
//     front under way      its columns of a front that all ranks are in the midst of, then
//
// The last one of several sections of a name counts. Which shared fronts are done follows from the
// sync point. Nothing of it depends on threads. The contribution block of a front is written once
// at most, and read only for fronts whose parents are not done.

/// Keeps a rank's part of an elimination by the checkpoints of its run, and goes on from the newest
/// good one of as many ranks. Several ranks meet, and do what one of them wishes for; a rank alone
/// does so before any front.
class CheckpointedElimination : public TeamCheckpointer, public CheckpointedStages {
 public:
  /// Deals out the elimination of that stage, as it comes next; the tree stays until begin_stage().
  /// Collective.
  using Deal = std::function<const TreePartition&(const EliminationStage& stage)>;

  /// Looks for a good checkpoint in that precision (Checkpoints::resume()); `bytes` is what this
  /// rank's file may hold in the end. Collective.
  CheckpointedElimination(Checkpoints& checkpoints, Precision precision, double bytes,
                          const Deal& deal, const SyncRule& rule = {});

  /// The factorisation by this tree is of that stage: it goes on where that was found, else another
  /// elimination begins. Hands back how much this rank has done. Collective.
  FinishedWork begin_stage(EliminationStage stage, const TreePartition& tree);

  void begin_in_team(CheckpointableTeamFronts& fronts) override { fronts_ = &fronts; }
  void begin(CheckpointableFronts& own) override;
  void own_failed(const Failure& failure) override;
  bool wants_pause(LocalIndex s, double flops) override;
  void done(const CheckpointableFronts& own, LocalIndex s, double flops, double seconds) override;
  void pause(CheckpointableFronts& own) override;
  void finish(CheckpointableFronts& own) override;
  void before(LocalIndex s, bool failed) override;
  bool wants_within(LocalIndex s, Index panel) const override;
  void within(LocalIndex s, Index panel) override;
  void shared_done(LocalIndex s) override;
  void finish_in_team(bool failed) override;

 private:
  /// How far a rank is, as the section "shared elimination" begins; no padding anywhere.
  struct TeamProgress {
    std::int64_t step = 0;                    ///< columns of all ranks
    std::int32_t sync_point = 0, front = -1;  ///< front: that is under way
    std::int64_t panel = 0;                   ///< of it

    bool operator==(const TeamProgress&) const = default;
  };

  /// A rank's part of an elimination.
  struct RankPart {
    RankPart(Team& team, const TreePartition& of, const SyncRule& rule);

    bool is_alone() const { return tree.ranks == 1; }
    bool has(LocalIndex s) const { return tree.teams[s].holds(tree.rank); }
    bool is_first_of(LocalIndex s) const { return tree.teams[s].first == tree.rank; }
    /// Notes that all that is below shared front s is assembled.
    void note_assembled(LocalIndex s);
    Index columns(const TeamProgress& place) const;

    const TreePartition& tree;
    SyncPoints sync_points;
    std::uint64_t order;
    FrontParts own, shared;
    double own_flops = 0, shared_flops = 0;
  };

  Index take(const CheckpointFiles& files, const Deal& deal);
  void read_part(const CheckpointReader& file, const EliminationProgress& state,
                 const TeamProgress& place);
  /// The work that follows a sync point.
  struct Ahead {
    double flops = 0;  ///< of this rank, up to the next one
    double bytes = 0;  ///< of the shared front that may be under way then
  };
  Ahead ahead_of(LocalIndex s) const;
  void attend(int last, bool failed, const Ahead& ahead);
  void synchronize(bool failed, const Ahead& ahead);
  bool wants_pause_alone(double flops);
  void save(CheckpointRequest request, Index step, CheckpointableFronts& own);
  void write_shared(SectionWriter& file);

  SyncRule rule_;
  std::optional<RankPart> part_;
  CheckpointableTeamFronts* fronts_ = nullptr;
  std::mutex mutex_;  // of what threads change while they eliminate own fronts
  TeamProgress progress_;
  Timer since_sync_point_;
  double flops_at_sync_point_ = 0, seconds_of_flop_ = 0, largest_next_ = 0;
  // Of a rank alone: what a pause is for, and the columns after which the last one was.
  CheckpointRequest agreed_ = CheckpointRequest::none;
  Index paused_at_ = -1;
};

}  // namespace spsolve::sparse
