#include "sparse/checkpoint/checkpointed_elimination.hpp"

#include <algorithm>
#include <utility>

#include "sparse/analysis/analysis_file.hpp"

namespace spsolve::inline sparse {

CheckpointedElimination::CheckpointedElimination(Checkpoints& checkpoints,
                                                 const SparseAnalysis& analysis,
                                                 Precision precision, double bytes)
    : CheckpointedStages(checkpoints),
      analysis_(analysis),
      sum_(checksum_of(analysis)),
      fronts_(analysis.fronts, "fronts") {
  look(precision, bytes, [this](const CheckpointFiles& files) { return take(files); });
}

Index CheckpointedElimination::take(const CheckpointFiles& files) {
  fronts_.reset();
  const CheckpointReader file = files.open(0);
  if (files.ranks() != 1) file.refuse("is of a run by {} ranks", files.ranks());
  const EliminationProgress state = read_state(file);
  read_fronts(file, state, sum_, fronts_);
  flops_ = fronts_.flops(state.stage.symmetric());
  parts_ = state.parts;
  found_ = state.stage;
  checkpoints_.expect_bytes(static_cast<double>(file.size()));
  if (analysis_.flops > 0) checkpoints_.tell_work(std::min(1.0, flops_ / analysis_.flops));
  return fronts_.columns();
}

CheckpointedElimination::FinishedWork CheckpointedElimination::begin_stage(EliminationStage stage) {
  paused_at_ = -1;
  if (goes_on_with(std::move(stage))) return {fronts_.count(), flops_};
  fronts_.reset();
  flops_ = 0;
  return {};
}

void CheckpointedElimination::begin(CheckpointableFronts& fronts) {
  if (!std::exchange(goes_on_, false)) return;
  checkpoints_.load([&](const CheckpointFiles& files) {
    const CheckpointReader file = files.open(0);
    if (!load(file, fronts_, fronts)) refuse_to_load(file);
  });
}

bool CheckpointedElimination::wants_pause(LocalIndex, double flops) {
  const std::lock_guard lock(mutex_);
  if (agreed_ != CheckpointRequest::none) return true;
  const Index columns = fronts_.columns();
  if (columns == paused_at_) return false;  // every pause is followed by a front
  checkpoints_.expect(flops * seconds_of_flop_, unwritten_bytes_);
  agreed_ = checkpoints_.request(columns);
  return agreed_ != CheckpointRequest::none;
}

void CheckpointedElimination::done(const CheckpointableFronts& fronts, LocalIndex s, double flops,
                                   double seconds) {
  constexpr double telling_flops = 1e7;
  const std::lock_guard lock(mutex_);
  fronts_.done(s);
  flops_ += flops;
  if (flops > telling_flops) seconds_of_flop_ = seconds / flops;
  unwritten_bytes_ += static_cast<double>(fronts.bytes_of(s) + fronts.contribution_bytes(s));
}

void CheckpointedElimination::pause(CheckpointableFronts& fronts) {
  paused_at_ = fronts_.columns();
  save_checkpoint(std::exchange(agreed_, CheckpointRequest::none), fronts);
}

void CheckpointedElimination::finish(CheckpointableFronts& fronts) {
  save_checkpoint(checkpoints_.request_at_the_end(fronts_.columns()), fronts);
}

void CheckpointedElimination::save_checkpoint(CheckpointRequest agreed,
                                              CheckpointableFronts& fronts) {
  FrontParts* const lists[] = {&fronts_};
  CheckpointedStages::save_checkpoint(agreed, fronts_.columns(), lists, [&](SectionWriter& file) {
    fronts_.write(file, parts_, fronts);
    write_state(file, sum_, flops_, fronts_, fronts);
  });
}

}  // namespace spsolve::sparse
