#pragma once

#include <optional>
#include <span>
#include <string>

#include "checkpoint/checkpoints.hpp"
#include "sparse/checkpoint/front_parts.hpp"
#include "sparse/fronts/factorization.hpp"

namespace spsolve::inline sparse {

/// Why factors without threshold pivoting did not do.
struct FactorFailure {
  std::string words;    ///< none where they did
  int gmres_steps = 0;  ///< that were taken on them in vain
};

/// The stage whose fronts are kept: the factorisation, and whether by threshold pivoting, which
/// takes the place of factors that did not do.
struct EliminationStage {
  Factorization kind = Factorization::lu;
  bool threshold = false;
  Factorization first_kind = Factorization::lu;  ///< of the factors that did not do
  PivotCounts first;                             ///< of those
  FactorFailure failure;                         ///< why they did not

  bool symmetric() const { return kind != Factorization::lu; }
};

/// How far an elimination is, of one process or one rank's part: the section "sparse elimination",
/// after which the totals of the fronts stand.
struct EliminationProgress {
  std::uint64_t order = 0;  ///< checksum of what says which front has what
  EliminationStage stage;
  Index parts = 0;    ///< sections of fronts
  Index fronts = 0;   ///< that are done
  Index columns = 0;  ///< pivots of those
  double flops = 0;
};

/// Keeps a sparse elimination by the checkpoints of its run, and goes on from the newest good one,
/// whoever eliminates: the stages of an elimination, one after another.
class CheckpointedStages {
 public:
  /// Where a checkpoint was found, and no stage has begun yet: whose.
  const std::optional<EliminationStage>& found() const { return found_; }

  /// How much is done.
  struct FinishedWork {
    LocalIndex fronts = 0;
    double flops = 0;
  };

 protected:
  explicit CheckpointedStages(Checkpoints& checkpoints) : checkpoints_(checkpoints) {}
  ~CheckpointedStages() = default;

  /// Checkpoints::resume(); found() says of what it came to. Collective.
  void look(Precision precision, double bytes, const Checkpoints::Take& take);

  static EliminationProgress read_state(const CheckpointReader& file);
  /// Reads which fronts are done by this state; refuses it where it is not of `order`, or not of
  /// one mould.
  static void read_fronts(const CheckpointReader& file, const EliminationProgress& state,
                          std::uint64_t order, FrontParts& fronts);
  /// Reads these fronts and their totals. Whether all was as it must be.
  bool load(const CheckpointReader& file, const FrontParts& parts,
            CheckpointableFronts& fronts) const;
  void write_state(SectionWriter& file, std::uint64_t order, double flops, const FrontParts& parts,
                   CheckpointableFronts& fronts) const;

  /// Whether the stage that begins is the one that was found, which is gone on with then.
  bool goes_on_with(EliminationStage stage);

  /// Does what all ranks wish for: adds what is new of these fronts to the checkpoint, or writes
  /// another one. `write`: their sections.
  void save_checkpoint(CheckpointRequest agreed, Index step, std::span<FrontParts* const> lists,
                       const Checkpoints::Write& write);

  [[noreturn]] static void refuse_to_load(const CheckpointReader& file);

  Checkpoints& checkpoints_;
  std::optional<EliminationStage> found_;
  EliminationStage stage_;
  bool goes_on_ = false;  // with what was found, which is not loaded yet
  Index parts_ = 0;       // in the newest checkpoint
  double unwritten_bytes_ = 0;
};

}  // namespace spsolve::sparse
