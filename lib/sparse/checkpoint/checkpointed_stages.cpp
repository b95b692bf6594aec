#include "sparse/checkpoint/checkpointed_stages.hpp"

#include <utility>
#include <vector>

#include "sparse/checkpoint/section_bytes.hpp"

namespace spsolve::inline sparse {

namespace {

constexpr SectionKind state_section{"sparse elimination", 1};

/// The beginning of the section "sparse elimination"; no padding anywhere.
struct Head {
  std::uint64_t order = 0;
  std::int32_t kind = 0, threshold = 0, first_kind = 0, gmres_steps = 0;
  std::int64_t parts = 0, fronts = 0, columns = 0;
  double flops = 0;
  PivotCounts first;
};
static_assert(sizeof(Head) == 56 + sizeof(PivotCounts) && sizeof(PivotCounts) == 64, "no padding");

bool is_kind(std::int32_t number) {
  return number >= 0 && number <= static_cast<std::int32_t>(Factorization::lu);
}

}  // namespace

void CheckpointedStages::look(Precision precision, double bytes, const Checkpoints::Take& take) {
  if (!checkpoints_.resume(precision, bytes, take)) found_.reset();
}

EliminationProgress CheckpointedStages::read_state(const CheckpointReader& file) {
  BytesFromSection bytes(file, file.section(state_section));
  Head head;
  bytes.value(head);
  const bool known = is_kind(head.kind) && is_kind(head.first_kind) &&
                     (head.threshold == 0 || head.threshold == 1) && head.gmres_steps >= 0 &&
                     head.parts >= 0 && head.parts <= std::ssize(file.sections());
  if (!known) file.refuse("contradicts itself");
  std::vector<char> failure;
  bytes.list(failure);
  EliminationProgress state{head.order, {}, head.parts, head.fronts, head.columns};
  state.stage.kind = static_cast<Factorization>(head.kind);
  state.stage.threshold = head.threshold == 1;
  state.stage.first_kind = static_cast<Factorization>(head.first_kind);
  state.stage.first = head.first;
  state.stage.failure.words.assign(failure.begin(), failure.end());
  state.stage.failure.gmres_steps = head.gmres_steps;
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
  BytesFromSection bytes(file, file.section(state_section));
  Head head;
  std::vector<char> failure;
  bytes.value(head);
  bytes.list(failure);
  return fronts.name_totals(bytes) && bytes.is_at_the_end() && good;
}

void CheckpointedStages::refuse_to_load(const CheckpointReader& file) {
  file.refuse("contradicts itself; checkpoint.resume=never begins anew");
}

void CheckpointedStages::write_state(SectionWriter& file, std::uint64_t order, double flops,
                                     const FrontParts& parts, CheckpointableFronts& fronts) const {
  file.begin(state_section);
  BytesToSection bytes(file);
  Head head{order,
            static_cast<std::int32_t>(stage_.kind),
            stage_.threshold ? 1 : 0,
            static_cast<std::int32_t>(stage_.first_kind),
            stage_.failure.gmres_steps,
            parts_ + 1,
            parts.count(),
            parts.columns(),
            flops,
            stage_.first};
  const std::string& words = stage_.failure.words;
  std::vector<char> failure(words.begin(), words.end());
  bytes.value(head);
  bytes.list(failure);
  fronts.name_totals(bytes);
  bytes.finish();
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
