#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "process/progress.hpp"
#include "sparse/analysis/analysis.hpp"
#include "sparse/fronts/kept_fronts.hpp"

namespace spsolve {

// What a sparse elimination by one process keeps in a checkpoint, in sections:
//
//     sparse elimination   how far it is, and what its fronts came to; of several, the last counts
//     fronts K             the fronts that were done between two checkpoints: which, and of each
//                          its factors, its pivots, and what it passes up where that still waits
//
// Nothing of it depends on threads. What a front passed up is written once at most, and read for
// those alone whose parents are not done.

/// Why factors without threshold pivoting did not do.
struct FactorFailure {
  std::string words;    ///< none where they did
  int gmres_steps = 0;  ///< that were taken on them in vain
};

/// Whose fronts are kept: the factorisation, and whether by threshold pivoting, which takes the
/// place of factors that did not do.
struct KeptStage {
  Factorization kind = Factorization::lu;
  bool threshold = false;
  Factorization first_kind = Factorization::lu;  ///< of the factors that did not do
  PivotCounts first;                             ///< of those
  FactorFailure failure;                         ///< why they did not
};

/// Keeps an elimination by the checkpoints of its run, and goes on from the newest good one.
class KeptElimination final : public FrontKeeper {
 public:
  /// Looks for a good checkpoint of an elimination by this analysis in that precision
  /// (Checkpoints::resume()); `bytes` is what it may hold in the end. The others must outlive the
  /// object.
  KeptElimination(Checkpoints& checkpoints, const SparseAnalysis& analysis, Precision precision,
                  double bytes);

  /// Where a checkpoint was found: whose.
  const std::optional<KeptStage>& found() const { return found_; }

  /// The factorisation that comes next is of that stage: it goes on where that was found, else
  /// another elimination begins. Hands back how much is done: fronts and flops.
  struct Done {
    LocalIndex fronts = 0;
    double flops = 0;
  };
  Done begin_stage(KeptStage stage);

  void begin(KeptFronts& fronts) override;
  bool wants_pause(LocalIndex s, double flops) override;
  void done(const KeptFronts& fronts, LocalIndex s, double flops, double seconds) override;
  void pause(KeptFronts& fronts) override;
  void finish(KeptFronts& fronts) override;

 private:
  /// The fronts of a section, as they were done.
  struct Part {
    std::vector<LocalIndex> fronts;
    std::vector<char> waits;
  };

  Index take(const CheckpointFiles& files);
  Part read_part(const CheckpointReader& file, Index part) const;
  bool waits(LocalIndex s) const;
  void keep(CheckpointWish agreed, KeptFronts& fronts);
  void write(SectionWriter& file, KeptFronts& fronts, const std::vector<LocalIndex>& part) const;

  Checkpoints& checkpoints_;
  const SparseAnalysis& analysis_;
  const std::uint64_t sum_;  // of the analysis
  std::optional<KeptStage> found_;
  KeptStage stage_;
  bool goes_on_ = false;
  // How far it is; what the threads change is behind the mutex.
  std::mutex mutex_;
  std::vector<char> done_, written_;  // of each front
  Index parts_ = 0, columns_ = 0, paused_at_ = -1;
  LocalIndex fronts_done_ = 0;
  double flops_ = 0, unwritten_bytes_ = 0;
  double seconds_of_flop_ = 0;  // of the last front that tells
  CheckpointWish agreed_ = CheckpointWish::none;
};

}  // namespace spsolve
