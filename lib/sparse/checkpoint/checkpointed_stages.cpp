#include "sparse/checkpoint/checkpointed_stages.hpp"

#include <utility>

namespace spsolve::inline sparse {

namespace {

constexpr SectionKind state_section{"sparse elimination", 1};
static_assert(sizeof(PivotCounts) == 64, "no padding");

bool is_kind(Factorization kind) {
  return kind >= Factorization::cholesky && kind <= Factorization::ldlh;
}

/// Names the section but for the totals of the fronts, which end it. Hands back whether its flag is
/// one.
bool name(EliminationProgress& state, SectionBytes& bytes) {
  EliminationStage& stage = state.stage;
  std::int32_t threshold = stage.threshold ? 1 : 0;
  bytes.begin(state_section);
  bytes.value(state.order);
  bytes.value(stage.kind);
  bytes.value(threshold);
  bytes.value(stage.first_kind);
  bytes.value(stage.failure.gmres_steps);
  bytes.value(state.parts);
  bytes.value(state.fronts);
  bytes.value(state.columns);
  bytes.value(state.flops);
  bytes.value(stage.first);
  bytes.list(stage.failure.words);
  stage.threshold = threshold != 0;
  return threshold == 0 || threshold == 1;
}

}  // namespace

void CheckpointedStages::look(Precision precision, double bytes, const Checkpoints::Take& take) {
  if (!checkpoints_.resume(precision, bytes, take)) found_.reset();
}

EliminationProgress CheckpointedStages::read_state(const CheckpointReader& file) {
  BytesFromFile bytes(file);
  EliminationProgress state;
  const bool has_flag = name(state, bytes);
  const EliminationStage& stage = state.stage;
  if (!has_flag || !is_kind(stage.kind) || !is_kind(stage.first_kind) ||
      stage.failure.gmres_steps < 0 || state.parts < 0 ||
      state.parts > std::ssize(file.sections())) {
    file.refuse("contradicts itself");
  }
  return state;
}

void CheckpointedStages::read_fronts(const CheckpointReader& file, const EliminationProgress& state,
                                     std::uint64_t order, FrontParts& fronts) {
  if (state.order != order) file.refuse("belongs to an elimination in another order");
  fronts.read(file, state.parts);
  if (fronts.count() != state.fronts || fronts.columns() != state.columns || !fronts.is_closed() ||
      !fronts.has_what_waits()) {
    file.refuse("contradicts itself");
  }
}

bool CheckpointedStages::load(const CheckpointReader& file, const FrontParts& parts,
                              CheckpointableFronts& fronts) const {
  const bool good = parts.load(file, parts_, fronts);
  BytesFromFile bytes(file);
  EliminationProgress before;
  name(before, bytes);
  return fronts.name_totals(bytes) && bytes.is_at_the_end() && good;
}

void CheckpointedStages::refuse_to_load(const CheckpointReader& file) {
  file.refuse("contradicts itself; checkpoint.resume=never begins anew");
}

void CheckpointedStages::write_state(SectionWriter& file, std::uint64_t order, double flops,
                                     const FrontParts& parts, CheckpointableFronts& fronts) const {
  BytesToFile bytes(file);
  EliminationProgress state{order, stage_, parts_ + 1, parts.count(), parts.columns(), flops};
  name(state, bytes);
  fronts.name_totals(bytes);
  bytes.end();
}

bool CheckpointedStages::goes_on_with(EliminationStage stage) {
  goes_on_ = found_ && found_->kind == stage.kind && found_->threshold == stage.threshold;
  stage_ = std::move(stage);
  found_.reset();
  unwritten_bytes_ = 0;
  if (!goes_on_) {
    checkpoints_.begin_another();
    parts_ = 0;
  }
  return goes_on_;
}

void CheckpointedStages::save_checkpoint(CheckpointRequest agreed, Index step,
                                         std::span<FrontParts* const> lists,
                                         const Checkpoints::Write& write) {
  const bool adds = checkpoints_.can_add();
  if (!adds) {
    parts_ = 0;
    for (FrontParts* list : lists) list->forget_written();
  }
  const int before = checkpoints_.statistics().written;
  adds ? checkpoints_.add(agreed, step, write) : checkpoints_.fulfil(agreed, step, write);
  if (checkpoints_.statistics().written == before) return;  // a note says why
  for (FrontParts* list : lists) list->note_written();
  ++parts_;
  unwritten_bytes_ = 0;
}

}  // namespace spsolve::sparse
