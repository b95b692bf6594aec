#include "sparse/fronts/factor_memory.hpp"

#include <algorithm>
#include <numeric>

#include "sparse/fronts/factors.hpp"
#include "sparse/fronts/front.hpp"
#include "sparse/fronts/tiles.hpp"

namespace spsolve::inline sparse {

namespace {

std::vector<bool> roots_of(const Fronts& fronts, const Schedule& schedule) {
  std::vector<bool> result(fronts.size(), false);
  for (const LocalIndex s : schedule.subtrees) result[s] = true;
  return result;
}

std::vector<LocalIndex> fronts_below(const Fronts& fronts, LocalIndex root) {
  std::vector<LocalIndex> result(root - fronts.first_of_subtree[root] + 1);
  std::iota(result.begin(), result.end(), fronts.first_of_subtree[root]);
  return result;
}

/// Values of scratch that so many threads eliminate a front with, in addition to the front.
Index scratch_of(const Fronts& fronts, LocalIndex s, Factorization kind, int threads) {
  if (!has_d(kind)) return 0;
  const Index p = fronts.pivots(s), m = fronts.border_size(s), piece = border_piece(m, kind);
  const Index slots = m > 0 ? Tiles::slots(Tiles::count_of(m, piece), threads) : 0;
  return std::max(scratch_of_pivots(p, p + m), slots * piece * p);
}

}  // namespace

Index factor_entries(const Fronts& fronts, LocalIndex s, Factorization kind) {
  const Index p = fronts.pivots(s), m = fronts.border_size(s);
  return (p + m) * p + (kind == Factorization::lu ? m * p : 0);
}

bool contributes_outside(const Fronts& fronts, LocalIndex s) {
  return fronts.parent[s] == -1 && fronts.border_size(s) > 0;
}

std::vector<bool> off_the_stacks(const Fronts& fronts, const Schedule& schedule) {
  std::vector<bool> result = roots_of(fronts, schedule);
  for (LocalIndex s = 0; s < fronts.size(); ++s)
    result[s] = result[s] || contributes_outside(fronts, s);
  return result;
}

BorderBlock border_block(const Fronts& fronts, LocalIndex s, Factorization kind) {
  return {fronts.border_size(s), kind != Factorization::lu};
}

Index border_piece(Index m, Factorization kind) {
  if (kind != Factorization::lu) return BorderBlock(m, true).width();
  return m <= 384 ? m : std::clamp<Index>(m / 6 / 16 * 16, 192, 512);
}

StackSizes stack_sizes(const Fronts& fronts, Factorization kind, const Schedule& schedule) {
  const std::vector<bool> elsewhere = off_the_stacks(fronts, schedule);
  const bool symmetric = kind != Factorization::lu;
  StackSizes sizes;
  for (const LocalIndex root : schedule.subtrees) {
    const std::vector<LocalIndex> below = fronts_below(fronts, root);
    sizes.lane = std::max(sizes.lane, stack_peak(fronts, below, elsewhere, symmetric));
    for (const LocalIndex s : below) {
      sizes.lane_scratch = std::max(sizes.lane_scratch, scratch_of(fronts, s, kind, 1));
    }
    if (!contributes_outside(fronts, root))
      sizes.subtrees += border_block(fronts, root, kind).size();
  }
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (contributes_outside(fronts, s))
      sizes.root_contributions += border_block(fronts, s, kind).size();
  }
  sizes.upper = stack_peak(fronts, schedule.upper, elsewhere, symmetric);
  for (const LocalIndex s : schedule.upper) {
    sizes.upper_scratch =
        std::max(sizes.upper_scratch, scratch_of(fronts, s, kind, schedule.threads));
  }
  return sizes;
}

Schedule factor_schedule(const Fronts& fronts, Factorization kind, int threads) {
  const std::vector<double> work = front_work(fronts, kind != Factorization::lu);
  // A thread alone takes the trees as they are; several want some subtrees each, small ones none.
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  constexpr double worth_a_thread = 2e5;  // nanoseconds
  const bool shares = threads > 1 && all > worth_a_thread;
  Schedule schedule = cut_subtrees(fronts, work, shares ? 0.25 / threads : 2);
  schedule.threads = shares ? threads : 1;
  return schedule;
}

FactorMemory factor_memory(const Fronts& fronts, Factorization kind, const Schedule& schedule,
                           std::size_t value_bytes) {
  const auto bytes = static_cast<std::int64_t>(value_bytes);
  FactorMemory memory;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    memory.factors += factor_entries(fronts, s, kind) * bytes;
  }
  const StackSizes sizes = stack_sizes(fronts, kind, schedule);
  memory.stack = ((sizes.lane + sizes.lane_scratch) * schedule.threads + sizes.upper +
                  sizes.upper_scratch + sizes.subtrees + sizes.root_contributions) *
                 bytes;
  // Rows of the pivots, and columns; where the factors of each front lie, for solves as well.
  constexpr std::size_t of_front = sizeof(Index) + sizeof(void*) + sizeof(FactoredFront<double>);
  memory.rest = 2 * fronts.order() * static_cast<std::int64_t>(sizeof(LocalIndex)) +
                fronts.size() * static_cast<std::int64_t>(of_front) +
                (has_d(kind) ? fronts.order() * bytes : 0);
  return memory;
}

}  // namespace spsolve::sparse
