#include "sparse/kept/kept_elimination.hpp"

#include <algorithm>
#include <utility>

#include "sparse/analysis/analysis_file.hpp"
#include "sparse/kept/section_bytes.hpp"

namespace spsolve {

namespace {

constexpr SectionKind state_section{"sparse elimination", 1};

std::string part_section(Index part) {
  return fmt::format("fronts {}", part);
}

/// The beginning of the section "sparse elimination"; no padding anywhere.
struct Head {
  std::uint64_t analysis = 0;
  std::int32_t kind = 0, threshold = 0, first_kind = 0, gmres_steps = 0;
  std::int64_t parts = 0, fronts = 0, columns = 0;
  double flops = 0;
  PivotCounts first;
};
static_assert(sizeof(Head) == 56 + sizeof(PivotCounts) && sizeof(PivotCounts) == 64, "no padding");

}  // namespace

KeptElimination::KeptElimination(Checkpoints& checkpoints, const SparseAnalysis& analysis,
                                 Precision precision, double bytes)
    : checkpoints_(checkpoints),
      analysis_(analysis),
      sum_(checksum_of(analysis)),
      done_(analysis.fronts.size(), 0),
      written_(analysis.fronts.size(), 0) {
  const bool found = checkpoints.resume(
      precision, bytes, [this](const CheckpointFiles& files) { return take(files); });
  if (!found) found_.reset();
}

KeptElimination::Part KeptElimination::read_part(const CheckpointReader& file, Index part) const {
  BytesFromSection bytes(file, file.section({part_section(part)}));
  Part result;
  bytes.list(result.fronts);
  bytes.list(result.waits);
  if (result.fronts.size() != result.waits.size()) file.refuse("contradicts itself");
  return result;
}

/// Whether what a front passes up waits, by the fronts that are done.
bool KeptElimination::waits(LocalIndex s) const {
  return waits_for_parent(analysis_.fronts, s, [&](LocalIndex up) { return done_[up] != 0; });
}

Index KeptElimination::take(const CheckpointFiles& files) {
  const Fronts& fronts = analysis_.fronts;
  std::fill(done_.begin(), done_.end(), 0);
  parts_ = columns_ = 0;
  fronts_done_ = 0;
  flops_ = 0;
  const CheckpointReader file = files.open(0);
  if (files.ranks() != 1) file.refuse("is of a run by {} ranks", files.ranks());
  BytesFromSection bytes(file, file.section(state_section));
  Head head;
  KeptStage stage;
  bytes.value(head);
  if (head.analysis != sum_) file.refuse("belongs to an elimination in another order");
  constexpr auto last_kind = static_cast<std::int32_t>(Factorization::lu);
  const bool known = head.kind >= 0 && head.kind <= last_kind && head.first_kind >= 0 &&
                     head.first_kind <= last_kind && (head.threshold == 0 || head.threshold == 1) &&
                     head.gmres_steps >= 0 && head.parts >= 0 &&
                     head.parts <= std::ssize(file.sections());
  if (!known) file.refuse("contradicts itself");
  std::vector<char> failure;
  bytes.list(failure);
  stage.kind = static_cast<Factorization>(head.kind);
  stage.threshold = head.threshold == 1;
  stage.first_kind = static_cast<Factorization>(head.first_kind);
  stage.first = head.first;
  stage.failure.words.assign(failure.begin(), failure.end());
  stage.failure.gmres_steps = head.gmres_steps;
  std::vector<char> waited(fronts.size(), 0);
  for (Index k = 0; k < head.parts; ++k) {
    const Part part = read_part(file, k);
    for (std::size_t i = 0; i < part.fronts.size(); ++i) {
      const LocalIndex s = part.fronts[i];
      if (s < 0 || s >= fronts.size() || done_[s] != 0) file.refuse("contradicts itself");
      done_[s] = 1;
      waited[s] = part.waits[i];
      ++fronts_done_;
      columns_ += fronts.pivots(s);
      flops_ += front_flops(fronts, s, stage.kind != Factorization::lu);
    }
  }
  bool whole = fronts_done_ == head.fronts && columns_ == head.columns;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const LocalIndex up = fronts.parent[s];
    if (done_[s] == 0 ? up != -1 && done_[up] != 0 : waits(s) && waited[s] == 0) whole = false;
  }
  if (!whole) file.refuse("contradicts itself");
  parts_ = head.parts;
  found_ = std::move(stage);
  checkpoints_.expect_bytes(static_cast<double>(file.size()));
  if (analysis_.flops > 0) checkpoints_.tell_work(std::min(1.0, flops_ / analysis_.flops));
  return columns_;
}

KeptElimination::Done KeptElimination::begin_stage(KeptStage stage) {
  goes_on_ = found_ && found_->kind == stage.kind && found_->threshold == stage.threshold;
  stage_ = std::move(stage);
  found_.reset();
  unwritten_bytes_ = 0;
  paused_at_ = -1;
  if (goes_on_) {
    written_ = done_;
    return {fronts_done_, flops_};
  }
  checkpoints_.begin_another();
  std::fill(done_.begin(), done_.end(), 0);
  parts_ = columns_ = 0;
  fronts_done_ = 0;
  flops_ = 0;
  return {};
}

void KeptElimination::begin(KeptFronts& fronts) {
  if (!std::exchange(goes_on_, false)) return;
  checkpoints_.load([&](const CheckpointFiles& files) {
    const CheckpointReader file = files.open(0);
    bool good = true;
    for (Index k = 0; k < parts_; ++k) {
      BytesFromSection bytes(file, file.section({part_section(k)}));
      Part part;
      bytes.list(part.fronts);
      bytes.list(part.waits);
      for (std::size_t i = 0; i < part.fronts.size(); ++i) {
        const LocalIndex s = part.fronts[i];
        good = fronts.name(s, part.waits[i] != 0, bytes) && good;
        if (part.waits[i] != 0 && !waits(s)) fronts.release_passed_up(s);
      }
      good = good && bytes.is_at_the_end();
    }
    BytesFromSection bytes(file, file.section(state_section));
    Head head;
    std::vector<char> failure;
    bytes.value(head);
    bytes.list(failure);
    good = fronts.name_totals(bytes) && bytes.is_at_the_end() && good;
    if (!good) file.refuse("contradicts itself; checkpoint.resume=never begins anew");
  });
}

bool KeptElimination::wants_pause(LocalIndex, double flops) {
  const std::lock_guard lock(mutex_);
  if (agreed_ != CheckpointWish::none) return true;
  if (columns_ == paused_at_) return false;  // every pause is followed by a front
  checkpoints_.expect(flops * seconds_of_flop_, unwritten_bytes_);
  agreed_ = checkpoints_.wish(columns_);
  return agreed_ != CheckpointWish::none;
}

void KeptElimination::done(const KeptFronts& fronts, LocalIndex s, double flops, double seconds) {
  constexpr double telling_flops = 1e7;
  const std::lock_guard lock(mutex_);
  done_[s] = 1;
  ++fronts_done_;
  columns_ += analysis_.fronts.pivots(s);
  flops_ += flops;
  if (flops > telling_flops) seconds_of_flop_ = seconds / flops;
  unwritten_bytes_ += static_cast<double>(fronts.bytes_of(s) + fronts.passed_up_bytes(s));
}

void KeptElimination::pause(KeptFronts& fronts) {
  paused_at_ = columns_;
  keep(std::exchange(agreed_, CheckpointWish::none), fronts);
}

void KeptElimination::finish(KeptFronts& fronts) {
  keep(checkpoints_.wish_at_the_end(columns_), fronts);
}

void KeptElimination::keep(CheckpointWish agreed, KeptFronts& fronts) {
  const bool adds = checkpoints_.can_add();
  std::vector<LocalIndex> part;
  if (!adds) {
    parts_ = 0;
    std::fill(written_.begin(), written_.end(), 0);
  }
  for (LocalIndex s = 0; s < analysis_.fronts.size(); ++s) {
    if (done_[s] != 0 && written_[s] == 0) part.push_back(s);
  }
  const int before = checkpoints_.statistics().written;
  const auto write_part = [&](SectionWriter& file) { write(file, fronts, part); };
  adds ? checkpoints_.add(agreed, columns_, write_part)
       : checkpoints_.keep(agreed, columns_, write_part);
  if (checkpoints_.statistics().written == before) return;  // a note says why
  for (const LocalIndex s : part) written_[s] = 1;
  ++parts_;
  unwritten_bytes_ = 0;
}

void KeptElimination::write(SectionWriter& file, KeptFronts& fronts,
                            const std::vector<LocalIndex>& part) const {
  Part list{part, {}};
  for (const LocalIndex s : part) list.waits.push_back(waits(s) ? 1 : 0);
  file.begin({part_section(parts_)});
  BytesToSection bytes(file);
  bytes.list(list.fronts);
  bytes.list(list.waits);
  for (std::size_t i = 0; i < part.size(); ++i) fronts.name(part[i], list.waits[i] != 0, bytes);
  bytes.finish();
  file.begin(state_section);
  Head head{sum_,
            static_cast<std::int32_t>(stage_.kind),
            stage_.threshold ? 1 : 0,
            static_cast<std::int32_t>(stage_.first_kind),
            stage_.failure.gmres_steps,
            parts_ + 1,
            fronts_done_,
            columns_,
            flops_,
            stage_.first};
  const std::string& words = stage_.failure.words;
  std::vector<char> failure(words.begin(), words.end());
  bytes.value(head);
  bytes.list(failure);
  fronts.name_totals(bytes);
  bytes.finish();
}

}  // namespace spsolve
