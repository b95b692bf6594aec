#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "sparse/kept/kept_stages.hpp"
#include "sparse/ranks/meetings.hpp"
#include "sparse/ranks/team_keeper.hpp"

namespace spsolve {

// Sections that a rank keeps, in its own file of a checkpoint, of a sparse elimination that all
// ranks share:
//
//     sparse elimination   how far its own fronts are, and what they came to
//     fronts K             own fronts that were done between two checkpoints (FrontParts)
//     shared K             its columns of shared fronts, likewise
//     shared elimination   at which meeting of the ranks that was, and what the shared fronts came
//     to front under way      its columns of a front that all ranks are in the midst of, then
//
// The last one of several sections of a name counts. Which shared fronts are done follows from the
// meeting.

/// Keeps a rank's part of an elimination by the checkpoints of its run, and goes on from the newest
/// good one of as many ranks: all ranks meet, and do what one of them wishes for.
class KeptTeamElimination : public TeamKeeper, public KeptStages {
 public:
  /// Deals out the elimination of that kind, as it comes next; the tree stays until begin_stage().
  /// Collective.
  using Deal = std::function<const RankTree&(Factorization kind)>;

  /// Looks for a good checkpoint in that precision (Checkpoints::resume()); `bytes` is what this
  /// rank's file may hold in the end. Collective.
  KeptTeamElimination(Checkpoints& checkpoints, Precision precision, double bytes, const Deal& deal,
                      const MeetingRule& rule = {});

  /// The factorisation by this tree, which must outlive it, is of that stage: it goes on where that
  /// was found, else another elimination begins. Hands back how much this rank has done.
  /// Collective.
  Done begin_stage(KeptStage stage, const RankTree& tree);

  void begin_in_team(KeptTeamFronts& fronts) override { fronts_ = &fronts; }
  void begin(KeptFronts& own) override;
  void own_failed(const Failure& failure) override;
  bool wants_pause(LocalIndex s, double flops) override;
  void done(const KeptFronts& own, LocalIndex s, double flops, double seconds) override;
  void pause(KeptFronts& own) override;
  void finish(KeptFronts& /*own*/) override {}
  void before(LocalIndex s, bool failed) override;
  bool wants_within(LocalIndex s, Index panel) const override;
  void within(LocalIndex s, Index panel) override;
  void shared_done(LocalIndex s) override;
  void finish_in_team(bool failed) override;

 private:
  /// How far a rank is, as the section "shared elimination" begins; no padding anywhere.
  struct Place {
    std::int64_t step = 0;                 ///< columns of all ranks
    std::int32_t meeting = 0, front = -1;  ///< front: that is under way
    std::int64_t panel = 0;                ///< of it

    bool operator==(const Place&) const = default;
  };

  /// A rank's part of an elimination.
  struct Part {
    Part(Team& team, const RankTree& of, const MeetingRule& rule);

    bool has(LocalIndex s) const { return tree.teams[s].holds(tree.rank); }
    bool is_first_of(LocalIndex s) const { return tree.teams[s].first == tree.rank; }
    /// Notes that all that is below shared front s is taken in.
    void note_taken(LocalIndex s);
    Index columns(const Place& place) const;

    const RankTree& tree;
    Meetings meetings;
    std::uint64_t order;
    FrontParts own, shared;
    double own_flops = 0, shared_flops = 0;
  };

  Index take(const CheckpointFiles& files, const Deal& deal);
  void read_part(const CheckpointReader& file, const KeptState& state, const Place& place);
  /// The work that follows a meeting.
  struct Ahead {
    double flops = 0;  ///< of this rank, up to the next one
    double bytes = 0;  ///< of the shared front that may be under way then
  };
  Ahead ahead_of(LocalIndex s) const;
  void attend(int last, bool failed, const Ahead& ahead);
  void meet(bool failed, const Ahead& ahead);
  void write(SectionWriter& file, const Place& place);

  MeetingRule rule_;
  std::optional<Part> part_;
  KeptTeamFronts* fronts_ = nullptr;
  std::mutex mutex_;  // of what threads change while they eliminate own fronts
  Place place_;
  Timer since_meeting_;
  double flops_met_ = 0, seconds_of_flop_ = 0, largest_next_ = 0;
};

}  // namespace spsolve
