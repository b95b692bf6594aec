#pragma once

#include "sparse/fronts/checkpointable_fronts.hpp"
#include "team/team.hpp"

namespace spsolve::inline sparse {

// The state that an elimination shared by ranks shows of itself on each of them, so that it can be
// kept and gone on with; see checkpointable_fronts.hpp.

/// A rank's fronts: those that it shares, while none is under way but for the one that all ranks
/// share, and its own.
class CheckpointableTeamFronts : public CheckpointableFronts {
 public:
  virtual CheckpointableFronts& own() = 0;

  /// Names what there is of shared front s, which is eliminated up to panel `panel`: that panel is
  /// factored, and not used yet. A front that is read is gone on with from there.
  virtual bool name_under_way(LocalIndex s, Index panel, SectionBytes& bytes) = 0;
};

/// Keeps a rank's part of an elimination: as FrontCheckpointer its own fronts, between which it
/// meets the other ranks; then the shared ones. An exception of the checkpointer, which ends the
/// elimination, is thrown on all ranks.
class TeamCheckpointer : public FrontCheckpointer {
 public:
  /// Before anything else.
  virtual void begin_in_team(CheckpointableTeamFronts& fronts) = 0;

  /// The own fronts ended by an exception here, which others do not know of: where they take back
  /// what was kept, as begin() does, all ranks throw.
  virtual void own_failed(const Failure& failure) = 0;

  /// Shared front s is to be begun, or gone on with. `failed`: something here did, so that nothing
  /// can be kept.
  virtual void before(LocalIndex s, bool failed) = 0;

  /// Whether within(s, panel) wants to be called, before that panel is used.
  virtual bool wants_within(LocalIndex s, Index panel) const = 0;
  virtual void within(LocalIndex s, Index panel) = 0;

  /// Shared front s is done.
  virtual void shared_done(LocalIndex s) = 0;

  /// All shared fronts are done, or left out as something failed.
  virtual void finish_in_team(bool failed) = 0;
};

}  // namespace spsolve::sparse
