#pragma once

#include <mutex>

#include "sparse/analysis/analysis.hpp"
#include "sparse/checkpoint/checkpointed_stages.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"

namespace spsolve::inline sparse {

// Sections that a sparse elimination by one process keeps in a checkpoint:
//
//     sparse elimination   how far it is, and what its fronts came to; of several, the last counts
//     fronts K             the fronts that were done between two checkpoints (FrontParts)
//
// Nothing of it depends on threads. The contribution block of a front is written once at most, and
// read only for fronts whose parents are not done.

/// Keeps an elimination by the checkpoints of its run, and goes on from the newest good one.
class CheckpointedElimination final : public FrontCheckpointer, public CheckpointedStages {
 public:
  /// Looks for a good checkpoint of an elimination by this analysis in that precision
  /// (Checkpoints::resume()); `bytes` is what it may hold in the end.
  CheckpointedElimination(Checkpoints& checkpoints, const SparseAnalysis& analysis,
                          Precision precision, double bytes);

  /// The factorisation that comes next is of that stage: it goes on where that was found, else
  /// another elimination begins. Hands back how much is done.
  FinishedWork begin_stage(EliminationStage stage);

  void begin(CheckpointableFronts& fronts) override;
  bool wants_pause(LocalIndex s, double flops) override;
  void done(const CheckpointableFronts& fronts, LocalIndex s, double flops,
            double seconds) override;
  void pause(CheckpointableFronts& fronts) override;
  void finish(CheckpointableFronts& fronts) override;

 private:
  Index take(const CheckpointFiles& files);
  void save_checkpoint(CheckpointRequest agreed, CheckpointableFronts& fronts);

  const SparseAnalysis& analysis_;
  const std::uint64_t sum_;  // of the analysis
  // The progress of the elimination; the mutex guards all that the threads change.
  std::mutex mutex_;
  FrontParts fronts_;
  Index paused_at_ = -1;
  double flops_ = 0;
  double seconds_of_flop_ = 0;  // of the last front that tells
  CheckpointRequest agreed_ = CheckpointRequest::none;
};

}  // namespace spsolve::sparse
