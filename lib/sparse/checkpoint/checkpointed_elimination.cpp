#include "sparse/checkpoint/checkpointed_elimination.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace spsolve::inline sparse {

namespace {

constexpr SectionKind place_section{"shared elimination", 1};
constexpr SectionKind under_way_section{"front under way", 1};
constexpr double telling_flops = 1e7;  // from which on their seconds say how fast others are

/// The checksum of the tree, of several ranks with the rounds, by which sync points are numbered.
std::uint64_t checksum_of(const TreePartition& tree, const SyncPoints& sync_points) {
  if (tree.ranks == 1) return tree.checksum();
  const std::uint64_t words[] = {tree.checksum(), static_cast<std::uint64_t>(sync_points.rounds()),
                                 static_cast<std::uint64_t>(sync_points.last())};
  return checksum(std::as_bytes(std::span(words)));
}

}  // namespace

CheckpointedElimination::RankPart::RankPart(Team& team, const TreePartition& of,
                                            const SyncRule& rule)
    : tree(of),
      sync_points(team, of, rule),
      order(checksum_of(of, sync_points)),
      own(of.own(), "fronts"),
      shared(of.shared, "shared") {}

void CheckpointedElimination::RankPart::note_assembled(LocalIndex s) {
  for (const LocalIndex child : tree.shared.children_of(s)) shared.take(child);
  for (Index i = tree.subtree_starts[s]; i < tree.subtree_starts[s + 1]; ++i) {
    if (tree.subtree_rank[i] == tree.rank) own.take(tree.subtree_root[i]);
  }
}

/// Columns that are eliminated, those of shared fronts on the first rank of each.
Index CheckpointedElimination::RankPart::columns(const TeamProgress& place) const {
  Index columns = own.columns();
  for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
    if (is_first_of(s) && shared.is_done(s)) columns += tree.shared.pivots(s);
  }
  if (place.front >= 0 && is_first_of(place.front)) {
    columns += tree.blocks(place.front).begin(place.panel);
  }
  return columns;
}

CheckpointedElimination::CheckpointedElimination(Checkpoints& checkpoints, Precision precision,
                                                 double bytes, const Deal& deal,
                                                 const SyncRule& rule)
    : CheckpointedStages(checkpoints), rule_(rule) {
  look(precision, bytes, [&](const CheckpointFiles& files) { return take(files, deal); });
  if (!found_) part_.reset();
}

// --- to go on

Index CheckpointedElimination::take(const CheckpointFiles& files, const Deal& deal) {
  Team& team = checkpoints_.team();
  const std::pair<EliminationProgress, TeamProgress> there = together(team, [&] {
    const CheckpointReader file = files.open(team.rank() % files.ranks());
    if (files.ranks() != team.size()) {
      file.refuse("is of a run by {} rank{}", files.ranks(), files.ranks() == 1 ? "" : "s");
    }
    std::pair<EliminationProgress, TeamProgress> found{read_state(file), {}};
    if (team.size() == 1) {
      found.second.step = found.first.columns;
      return found;
    }
    BytesFromFile bytes(file);
    bytes.begin(place_section);
    bytes.value(found.second);
    return found;
  });
  const EliminationProgress& state = there.first;
  const TeamProgress& place = there.second;
  const auto kind = static_cast<int>(state.stage.kind);
  const std::vector<TeamProgress> places = all_gather(team, place);
  const std::vector<int> kinds = all_gather(team, kind);
  const bool same =
      std::ranges::all_of(places, [&](const TeamProgress& of) { return of == place; }) &&
      std::ranges::all_of(kinds, [&](int of) { return of == kind; });
  part_.reset();
  if (same) part_.emplace(team, deal(state.stage), rule_);
  together(team, [&] {
    const CheckpointReader file = files.open(team.rank());
    if (!same || (state.stage.threshold && !part_->is_alone())) file.refuse("contradicts itself");
    read_part(file, state, place);
    checkpoints_.expect_bytes(static_cast<double>(file.size()));
  });
  if (all_sum(team, part_->columns(place)) != place.step) {
    files.open(0).refuse("contradicts itself");
  }
  const double all = all_sum(team, part_->sync_points.flops());
  const double done = all_sum(team, part_->own_flops + part_->shared_flops);
  if (all > 0) checkpoints_.tell_work(std::min(1.0, done / all));
  progress_.sync_point = place.sync_point;
  parts_ = state.parts;
  found_ = state.stage;
  return place.step;
}

/// Which of this rank's fronts are done at that place; refuses what is not.
void CheckpointedElimination::read_part(const CheckpointReader& file,
                                        const EliminationProgress& state,
                                        const TeamProgress& place) {
  const TreePartition& tree = part_->tree;
  const SyncPoints& sync_points = part_->sync_points;
  const LocalIndex front = place.front;
  const auto is_done = [&](LocalIndex s) {
    return part_->has(s) && (front < 0 ? sync_points.before(s) < place.sync_point : s < front);
  };
  bool whole = place.sync_point >= 0 && place.sync_point <= sync_points.last() && front >= -1 &&
               front < tree.shared.size();
  if (whole && front >= 0) {
    whole = sync_points.before(front) == place.sync_point && sync_points.within(front, place.panel);
  }
  if (state.order != part_->order) file.refuse("belongs to an elimination in another order");
  if (!whole) file.refuse("contradicts itself");
  for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
    if (is_done(s) || s == front) part_->note_assembled(s);
  }
  read_fronts(file, state, part_->order, part_->own);
  if (!part_->is_alone()) part_->shared.read(file, state.parts);
  for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
    whole = whole && part_->shared.is_done(s) == is_done(s);
    if (is_done(s)) part_->shared_flops += sync_points.flops_of(s);
  }
  if (!whole || !part_->shared.has_what_waits()) file.refuse("contradicts itself");
  if (front >= 0) part_->shared_flops += sync_points.flops_before(front, place.panel);
  part_->own_flops = part_->own.flops(state.stage.symmetric());
}

CheckpointedElimination::FinishedWork CheckpointedElimination::begin_stage(
    EliminationStage stage, const TreePartition& tree) {
  since_sync_point_ = {};
  largest_next_ = 0;
  paused_at_ = -1;
  if (!goes_on_with(std::move(stage))) {
    part_.emplace(checkpoints_.team(), tree, rule_);
    progress_ = {};
  }
  flops_at_sync_point_ = part_->own_flops + part_->shared_flops;
  return {part_->own.count() + part_->shared.count(), flops_at_sync_point_};
}

void CheckpointedElimination::begin(CheckpointableFronts& own) {
  if (!std::exchange(goes_on_, false)) return;
  checkpoints_.load([&](const CheckpointFiles& files) {
    const CheckpointReader file = files.open(checkpoints_.team().rank());
    bool good = load(file, part_->own, own);
    if (part_->is_alone()) {
      if (!good) refuse_to_load(file);
      return;
    }
    good = good && part_->shared.load(file, parts_, *fronts_);
    BytesFromFile bytes(file);
    bytes.begin(place_section);
    TeamProgress place;
    bytes.value(place);
    good = good && fronts_->name_totals(bytes) && bytes.is_at_the_end();
    if (good && place.front >= 0) {
      bytes.begin(under_way_section);
      good = fronts_->name_under_way(place.front, place.panel, bytes) && bytes.is_at_the_end();
    }
    if (!good) refuse_to_load(file);
  });
  since_sync_point_ = {};
}

void CheckpointedElimination::own_failed(const Failure& failure) {
  if (!std::exchange(goes_on_, false)) return;
  checkpoints_.load(
      [&](const CheckpointFiles&) { throw Error(failure.code, failure.message, failure.scope); });
}

// --- to keep

bool CheckpointedElimination::wants_pause(LocalIndex, double flops) {
  const std::lock_guard lock(mutex_);
  if (part_->is_alone()) return wants_pause_alone(flops);
  if (progress_.sync_point >= part_->sync_points.after(part_->own_flops)) return false;
  largest_next_ = std::max(largest_next_, flops);
  return true;
}

/// A rank alone may stop before any front; threads meet for what there is a wish for, alone.
bool CheckpointedElimination::wants_pause_alone(double flops) {
  if (agreed_ != CheckpointRequest::none) return true;
  const Index columns = part_->own.columns();
  if (columns == paused_at_) return false;  // every pause is followed by a front
  checkpoints_.expect(flops * seconds_of_flop_, unwritten_bytes_);
  agreed_ = checkpoints_.request(columns);
  return agreed_ != CheckpointRequest::none;
}

void CheckpointedElimination::done(const CheckpointableFronts& own, LocalIndex s, double flops,
                                   double seconds) {
  const std::lock_guard lock(mutex_);
  part_->own.done(s);
  part_->own_flops += flops;
  if (part_->is_alone() && flops > telling_flops) seconds_of_flop_ = seconds / flops;
  unwritten_bytes_ += static_cast<double>(own.bytes_of(s) + own.contribution_bytes(s));
}

void CheckpointedElimination::pause(CheckpointableFronts& own) {
  if (part_->is_alone()) {
    paused_at_ = part_->own.columns();
    return save(std::exchange(agreed_, CheckpointRequest::none), paused_at_, own);
  }
  const double flops =
      std::max(std::exchange(largest_next_, 0.0), part_->sync_points.flops_of_round());
  attend(part_->sync_points.after(part_->own_flops), false, {flops, 0});
}

void CheckpointedElimination::finish(CheckpointableFronts& own) {
  if (!part_->is_alone()) return;
  const Index columns = part_->own.columns();
  save(checkpoints_.request_at_the_end(columns), columns, own);
}

CheckpointedElimination::Ahead CheckpointedElimination::ahead_of(LocalIndex s) const {
  return {part_->sync_points.flops_between(s),
          static_cast<double>(fronts_->bytes_of(s) + fronts_->contribution_bytes(s))};
}

void CheckpointedElimination::before(LocalIndex s, bool failed) {
  attend(part_->sync_points.before(s), failed, ahead_of(s));
}

bool CheckpointedElimination::wants_within(LocalIndex s, Index panel) const {
  return part_->sync_points.within(s, panel);
}

void CheckpointedElimination::within(LocalIndex s, Index panel) {
  part_->note_assembled(s);
  const double before = part_->shared_flops;
  part_->shared_flops += part_->sync_points.flops_before(s, panel);
  progress_.front = s;
  progress_.panel = panel;
  synchronize(false, ahead_of(s));
  part_->shared_flops = before;
  progress_.front = -1;
  progress_.panel = 0;
}

void CheckpointedElimination::shared_done(LocalIndex s) {
  part_->note_assembled(s);
  part_->shared.done(s);
  part_->shared_flops += part_->sync_points.flops_of(s);
  unwritten_bytes_ += static_cast<double>(fronts_->bytes_of(s) + fronts_->contribution_bytes(s));
}

void CheckpointedElimination::finish_in_team(bool failed) {
  if (!part_->is_alone()) attend(part_->sync_points.last(), failed, {});
}

/// Comes to the sync points up to the last one that is named.
void CheckpointedElimination::attend(int last, bool failed, const Ahead& ahead) {
  while (progress_.sync_point < last) {
    ++progress_.sync_point;
    synchronize(failed, ahead);
  }
}

void CheckpointedElimination::synchronize(bool failed, const Ahead& ahead) {
  struct Word {
    Index columns = 0;
    double seconds = 0;  // up to the next sync point
    std::int64_t failed = 0;
  };
  const double flops = part_->own_flops + part_->shared_flops;
  if (flops - flops_at_sync_point_ > telling_flops) {
    seconds_of_flop_ = since_sync_point_.seconds() / (flops - flops_at_sync_point_);
  }
  flops_at_sync_point_ = flops;
  Team& team = checkpoints_.team();
  Word all;
  for (const Word& of : all_gather(
           team, Word{part_->columns(progress_), ahead.flops * seconds_of_flop_, failed ? 1 : 0})) {
    all.columns += of.columns;
    all.seconds = std::max(all.seconds, of.seconds);
    all.failed += of.failed;
  }
  // A failure ends this elimination, and nothing that was kept of it would be gone on with.
  if (all.failed == 0) {
    progress_.step = all.columns;
    checkpoints_.expect(all.seconds, unwritten_bytes_ + ahead.bytes);
    const bool is_end = progress_.sync_point == part_->sync_points.last();
    const CheckpointRequest request =
        is_end ? checkpoints_.request_at_the_end(progress_.step)
               : std::ranges::max(all_gather(team, checkpoints_.request(progress_.step)));
    save(request, progress_.step, fronts_->own());
  }
  since_sync_point_ = {};
}

void CheckpointedElimination::save(CheckpointRequest request, Index step,
                                   CheckpointableFronts& own) {
  FrontParts* const lists[] = {&part_->own, &part_->shared};
  save_checkpoint(request, step, lists, [&](SectionWriter& file) {
    part_->own.write(file, parts_, own);
    if (!part_->is_alone()) write_shared(file);
    write_state(file, part_->order, part_->own_flops, part_->own, own);
  });
}

/// Writes the sections of shared fronts.
void CheckpointedElimination::write_shared(SectionWriter& file) {
  part_->shared.write(file, parts_, *fronts_);
  BytesToFile bytes(file);
  if (progress_.front >= 0) {
    bytes.begin(under_way_section);
    fronts_->name_under_way(progress_.front, progress_.panel, bytes);
    bytes.end();
  }
  bytes.begin(place_section);
  TeamProgress named = progress_;
  bytes.value(named);
  fronts_->name_totals(bytes);
  bytes.end();
}

}  // namespace spsolve::sparse
