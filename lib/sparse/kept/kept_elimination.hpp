#pragma once

#include <mutex>

#include "sparse/analysis/analysis.hpp"
#include "sparse/fronts/kept_fronts.hpp"
#include "sparse/kept/kept_stages.hpp"

namespace spsolve {

// Sections that a sparse elimination by one process keeps in a checkpoint:
//
//     sparse elimination   how far it is, and what its fronts came to; of several, the last counts
//     fronts K             the fronts that were done between two checkpoints (FrontParts)
//
// Nothing of it depends on threads. The block that a front passed up is written once at most, and
// read only for fronts whose parents are not done.

/// Keeps an elimination by the checkpoints of its run, and goes on from the newest good one.
class KeptElimination final : public FrontKeeper, public KeptStages {
 public:
  /// Looks for a good checkpoint of an elimination by this analysis in that precision
  /// (Checkpoints::resume()); `bytes` is what it may hold in the end. The others must outlive the
  /// object.
  KeptElimination(Checkpoints& checkpoints, const SparseAnalysis& analysis, Precision precision,
                  double bytes);

  /// The factorisation that comes next is of that stage: it goes on where that was found, else
  /// another elimination begins. Hands back how much is done.
  Done begin_stage(KeptStage stage);

  void begin(KeptFronts& fronts) override;
  bool wants_pause(LocalIndex s, double flops) override;
  void done(const KeptFronts& fronts, LocalIndex s, double flops, double seconds) override;
  void pause(KeptFronts& fronts) override;
  void finish(KeptFronts& fronts) override;

 private:
  Index take(const CheckpointFiles& files);
  void keep(CheckpointWish agreed, KeptFronts& fronts);

  const SparseAnalysis& analysis_;
  const std::uint64_t sum_;  // of the analysis
  // The progress of the elimination; the mutex guards all that the threads change.
  std::mutex mutex_;
  FrontParts fronts_;
  Index paused_at_ = -1;
  double flops_ = 0;
  double seconds_of_flop_ = 0;  // of the last front that tells
  CheckpointWish agreed_ = CheckpointWish::none;
};

}  // namespace spsolve
