#include "sparse/fronts/factor_memory.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "sparse/dissection/first_fit_allocator.hpp"
#include "sparse/fronts/ancestor_updates.hpp"
#include "sparse/fronts/factors.hpp"
#include "sparse/fronts/front.hpp"
#include "sparse/fronts/tiles.hpp"
#include "sparse/store/factor_store.hpp"

namespace spsolve::inline sparse {

namespace {

std::vector<LocalIndex> fronts_below(const Fronts& fronts, LocalIndex root) {
  std::vector<LocalIndex> result(root - fronts.first_of_subtree[root] + 1);
  std::iota(result.begin(), result.end(), fronts.first_of_subtree[root]);
  return result;
}

/// Values of scratch that so many threads eliminate a front with, in addition to the front.
Index scratch_of(const Fronts& fronts, LocalIndex s, Factorization kind, int threads, bool direct) {
  const Index p = fronts.pivots(s), m = fronts.border_size(s), piece = border_piece(m, kind);
  const Index of_pivots = has_d(kind) ? scratch_of_pivots(p, p + m) : 0;
  if (direct) return std::max(of_pivots, threads * scratch_of_updates(p, kind));
  const Index slots = m > 0 ? Tiles::slots(Tiles::count_of(m, piece), threads) : 0;
  return has_d(kind) ? std::max(of_pivots, slots * piece * p) : 0;
}

}  // namespace

Index factor_entries(const Fronts& fronts, LocalIndex s, Factorization kind) {
  const Index p = fronts.pivots(s), m = fronts.border_size(s);
  return (p + m) * p + (kind == Factorization::lu ? m * p : 0);
}

bool contributes_outside(const Fronts& fronts, LocalIndex s) {
  return fronts.parent[s] == -1 && fronts.border_size(s) > 0;
}

BorderBlock border_block(const Fronts& fronts, LocalIndex s, Factorization kind) {
  return {fronts.border_size(s), kind != Factorization::lu};
}

Index border_piece(Index m, Factorization kind) {
  if (kind != Factorization::lu) return BorderBlock(m, true).width();
  return m <= 384 ? m : std::clamp<Index>(m / 6 / 16 * 16, 192, 512);
}

namespace {

/// Which fronts update their ancestors directly: those with large blocks, and all above them, of
/// trees whose roots pass nothing to others. Empty where none does, as where blocks are few one
/// front after another.
std::vector<char> direct_fronts(const Fronts& fronts, Factorization kind, const StackBound& bound) {
  double all = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    all += static_cast<double>(factor_entries(fronts, s, kind));
  }
  std::vector<LocalIndex> in_order(fronts.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const Index blocks = stack_peak(fronts, in_order, std::vector<bool>(fronts.size(), false),
                                  kind != Factorization::lu);
  if (static_cast<double>(blocks) < bound.stack_share * all) return {};
  const auto least_block =
      std::max(static_cast<double>(bound.least_direct), bound.direct_share * all);
  std::vector<char> direct(fronts.size(), 0), outside(fronts.size(), 0);
  for (LocalIndex s = fronts.size() - 1; s >= 0; --s) {
    const LocalIndex up = fronts.parent[s];
    outside[s] = up == -1 ? contributes_outside(fronts, s) : outside[up];
  }
  bool any = false;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const LocalIndex up = fronts.parent[s];
    const auto block = static_cast<double>(border_block(fronts, s, kind).size());
    if (outside[s] == 0 && up != -1 && block >= least_block) direct[s] = 1;
    if (direct[s] == 0) continue;
    any = true;
    if (up != -1) direct[up] = 1;
  }
  if (!any) direct.clear();
  return direct;
}

/// Moves direct fronts that are roots of subtrees to those above; the lists are in no order then.
void lift_direct_fronts(const Fronts& fronts, Schedule& schedule) {
  std::vector<LocalIndex> waiting;
  waiting.swap(schedule.subtrees);
  while (!waiting.empty()) {
    const LocalIndex s = waiting.back();
    waiting.pop_back();
    if (!schedule.is_direct(s)) {
      schedule.subtrees.push_back(s);
      continue;
    }
    schedule.upper.push_back(s);
    for (const LocalIndex child : fronts.children_of(s)) waiting.push_back(child);
  }
}

/// Entries of the blocks within each subtree that are there at a time, at most.
std::vector<Index> stacks_of(const Fronts& fronts, Factorization kind,
                             const std::vector<LocalIndex>& subtrees) {
  std::vector<bool> elsewhere(fronts.size(), false);
  for (const LocalIndex root : subtrees) elsewhere[root] = true;
  std::vector<Index> result;
  for (const LocalIndex root : subtrees) {
    result.push_back(
        stack_peak(fronts, fronts_below(fronts, root), elsewhere, kind != Factorization::lu));
  }
  return result;
}

/// Divides a schedule into rounds, whose blocks and areas stay within so many entries where they
/// can.
void divide_into_rounds(const Fronts& fronts, Factorization kind, const std::vector<double>& work,
                        Index most, Schedule& schedule) {
  std::vector<LocalIndex> all;
  std::vector<char> is_root(fronts.size(), 0);
  for (const LocalIndex s : schedule.subtrees) is_root[s] = 1;
  std::ranges::sort(schedule.subtrees);
  const std::vector<Index> stacks = stacks_of(fronts, kind, schedule.subtrees);
  std::ranges::merge(schedule.subtrees, schedule.upper, std::back_inserter(all));
  const auto block = [&](LocalIndex s) {
    return schedule.is_direct(s) || contributes_outside(fronts, s)
               ? 0
               : border_block(fronts, s, kind).size();
  };
  schedule.steps.clear();
  schedule.rounds.clear();
  std::vector<char> released(fronts.size(), 0);
  Index held = 0, freed = 0, tallest = 0;
  Schedule::Round end;
  std::size_t begin = 0;
  const auto release = [&](LocalIndex s) {
    if (released[s] == 0) freed += block(s);
    released[s] = 1;
  };
  const auto close = [&] {
    end.steps_end = schedule.steps.size();
    schedule.rounds.push_back(end);
    held -= std::exchange(freed, 0);
    tallest = 0;
    begin = end.subtrees_end;
  };
  for (const LocalIndex s : all) {
    if (is_root[s] != 0) {
      const Index stack = stacks[end.subtrees_end], count = end.subtrees_end + 1 - begin;
      const Index areas = std::min<Index>(count, schedule.threads) * std::max(tallest, stack);
      if (count > 1 && held + block(s) + areas > most) close();
      tallest = std::max(tallest, stack);
      held += block(s);
      ++end.subtrees_end;
    } else {
      held += block(s);
      for (const LocalIndex child : fronts.children_of(s)) release(child);
    }
    const bool adds = schedule.adds_to_ancestors(fronts, s);
    if (adds) release(s);
    if (adds || is_root[s] == 0) schedule.steps.push_back(s);
  }
  close();
  const std::vector<double> below = work_below(fronts, work);
  begin = 0;
  for (const Schedule::Round& round : schedule.rounds) {
    std::sort(schedule.subtrees.begin() + begin, schedule.subtrees.begin() + round.subtrees_end,
              [&](LocalIndex a, LocalIndex b) {
                return below[a] != below[b] ? below[a] > below[b] : a < b;
              });
    begin = round.subtrees_end;
  }
}

/// Sizes of the areas of the r-th round, which begins at that subtree; their sum.
Index measure_areas(const Schedule& schedule, std::size_t r, std::size_t begin,
                    StackLayout& layout) {
  const std::size_t end = schedule.rounds[r].subtrees_end;
  const std::size_t first = std::min(begin + schedule.threads, end);
  Index later = 0, sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    layout.round[i] = static_cast<int>(r);
    if (i >= first) later = std::max(later, layout.stack_size[i]);
  }
  for (std::size_t i = begin; i < first; ++i) {
    sum += layout.area_size[i] = std::max(later, layout.stack_size[i]);
  }
  return sum;
}

/// Places of areas, and of the blocks of subtrees' roots and of the fronts above, each from where
/// it is made to where it is taken.
void place_blocks(const Fronts& fronts, Factorization kind, const Schedule& schedule,
                  StackLayout& layout) {
  FirstFitAllocator room(0);
  const auto place = [&](LocalIndex s) {
    if (contributes_outside(fronts, s) || schedule.is_direct(s)) return;
    layout.place[s] = room.allocate(border_block(fronts, s, kind).size());
  };
  std::vector<char> released(fronts.size(), 0);
  const auto release = [&](LocalIndex s) {
    if (layout.place[s] < 0 || released[s] != 0) return;
    released[s] = 1;
    room.release(layout.place[s], border_block(fronts, s, kind).size());
  };
  Schedule::Round before;
  for (std::size_t r = 0; r < schedule.rounds.size(); ++r) {
    const Schedule::Round& round = schedule.rounds[r];
    std::vector<LocalIndex> roots(schedule.subtrees.begin() + before.subtrees_end,
                                  schedule.subtrees.begin() + round.subtrees_end);
    std::ranges::sort(roots);
    for (const LocalIndex s : roots) place(s);
    const Index of_areas = measure_areas(schedule, r, before.subtrees_end, layout);
    const Index areas = room.allocate(of_areas);
    room.release(areas, of_areas);  // after the subtrees
    for (std::size_t i = before.subtrees_end, at = areas; i < round.subtrees_end; ++i) {
      if (layout.area_size[i] == 0) continue;
      layout.area[i] = static_cast<Index>(at);
      at += layout.area_size[i];
    }
    for (std::size_t i = before.steps_end; i < round.steps_end; ++i) {
      const LocalIndex s = schedule.steps[i];
      const bool adds = schedule.adds_to_ancestors(fronts, s);
      if (layout.place[s] < 0) {
        place(s);
        for (const LocalIndex child : fronts.children_of(s)) release(child);
      }
      if (adds) release(s);
    }
    before = round;
  }
  layout.size = room.end();
}

/// Entries of factors in memory at a time, at most, where the others are on disk: fronts that are
/// updated directly, and each thread's window and front, or the largest of all threads'.
Index entries_in_memory(const Fronts& fronts, Factorization kind, const Schedule& schedule,
                        std::int64_t value_bytes) {
  Index direct = 0, above = 0, below = 0;
  std::vector<char> is_above(fronts.size(), 0);
  for (const LocalIndex s : schedule.upper) {
    is_above[s] = 1;
    const Index entries = factor_entries(fronts, s, kind);
    schedule.is_direct(s) ? direct += entries : above = std::max(above, entries);
  }
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (is_above[s] == 0) below = std::max(below, factor_entries(fronts, s, kind));
  }
  const Index windows = schedule.threads * (FactorStore::window / value_bytes + below);
  return direct + std::max(above, windows);
}

}  // namespace

StackLayout stack_layout(const Fronts& fronts, Factorization kind, const Schedule& schedule) {
  StackLayout layout;
  layout.place.assign(fronts.size(), -1);
  layout.stack_size = stacks_of(fronts, kind, schedule.subtrees);
  layout.area.assign(schedule.subtrees.size(), -1);
  layout.area_size.assign(schedule.subtrees.size(), 0);
  layout.round.assign(schedule.subtrees.size(), 0);
  place_blocks(fronts, kind, schedule, layout);
  for (const LocalIndex root : schedule.subtrees) {
    for (LocalIndex s = fronts.first_of_subtree[root]; s <= root; ++s) {
      layout.lane_scratch = std::max(layout.lane_scratch, scratch_of(fronts, s, kind, 1, false));
    }
  }
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (contributes_outside(fronts, s)) {
      layout.root_contributions += border_block(fronts, s, kind).size();
    }
  }
  for (const LocalIndex s : schedule.upper) {
    layout.upper_scratch = std::max(
        layout.upper_scratch, scratch_of(fronts, s, kind, schedule.threads, schedule.is_direct(s)));
  }
  return layout;
}

Schedule factor_schedule(const Fronts& fronts, Factorization kind, int threads,
                         const StackBound& bound) {
  const std::vector<double> work = front_work(fronts, kind != Factorization::lu);
  // A thread alone takes the trees as they are; several want some subtrees each, small ones none.
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  constexpr double worth_a_thread = 2e5;  // nanoseconds
  const bool shares = threads > 1 && all > worth_a_thread;
  Schedule schedule = cut_subtrees(fronts, work, shares ? 0.25 / threads : 2);
  schedule.threads = shares ? threads : 1;
  schedule.direct = direct_fronts(fronts, kind, bound);
  if (schedule.direct.empty() && !shares) return schedule;
  lift_direct_fronts(fronts, schedule);
  std::ranges::sort(schedule.upper);
  Index most = bound.entries;
  if (most == 0) {
    constexpr Index little = Index{1} << 22;
    const Index share = schedule.direct.empty() ? 2 : 8;
    for (LocalIndex s = 0; s < fronts.size(); ++s) most += factor_entries(fronts, s, kind);
    most = std::max(little, most / share);
  }
  divide_into_rounds(fronts, kind, work, most, schedule);
  return schedule;
}

constexpr Index least_worth_dividing = Index{1} << 16;

BoundedMemory bound_within(const Fronts& fronts, Factorization kind, int threads,
                           std::size_t value_bytes, std::int64_t most, std::string factors_folder) {
  std::optional<BoundedMemory> least;
  StackBound bound;
  bound.factors_folder = std::move(factors_folder);
  for (;;) {
    const Schedule schedule = factor_schedule(fronts, kind, threads, bound);
    const FactorMemory memory =
        factor_memory(fronts, kind, schedule, value_bytes, !bound.factors_folder.empty());
    const bool fits = memory.bytes() <= most;
    if (!least || memory.bytes() < least->memory.bytes()) least = {bound, memory, fits};
    if (fits || bound.entries == 1) return *least;
    const Index stack = memory.stack / static_cast<std::int64_t>(value_bytes);
    bound.entries = std::max<Index>(1, (bound.entries == 0 ? stack : bound.entries) / 2);
    if (bound.entries < least_worth_dividing) bound.entries = 1;
  }
}

FactorMemory factor_memory(const Fronts& fronts, Factorization kind, const Schedule& schedule,
                           std::size_t value_bytes, bool on_disk) {
  const auto bytes = static_cast<std::int64_t>(value_bytes);
  FactorMemory memory;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    memory.factors += factor_entries(fronts, s, kind) * bytes;
  }
  if (on_disk) {
    memory.on_disk = memory.factors;
    memory.factors =
        std::min(memory.factors, entries_in_memory(fronts, kind, schedule, bytes) * bytes);
  }
  const StackLayout layout = stack_layout(fronts, kind, schedule);
  memory.stack = (layout.size + layout.root_contributions + layout.lane_scratch * schedule.threads +
                  layout.upper_scratch) *
                 bytes;
  // Rows of the pivots, and columns; where the factors of each front lie, for solves as well.
  constexpr std::size_t of_front = sizeof(Index) + sizeof(void*) + sizeof(FactoredFront<double>);
  memory.rest = 2 * fronts.order() * static_cast<std::int64_t>(sizeof(LocalIndex)) +
                fronts.size() * static_cast<std::int64_t>(of_front) +
                (has_d(kind) ? fronts.order() * bytes : 0);
  return memory;
}

}  // namespace spsolve::sparse
