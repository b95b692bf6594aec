#include "sparse/dissection/bisect.hpp"

#include <algorithm>

#include "matrix/random.hpp"
#include "sparse/dissection/blocks.hpp"
#include "sparse/dissection/coarsen.hpp"

namespace spsolve::inline sparse::dissection {
namespace {

constexpr LocalIndex coarsest = 100;    // vertices, where coarsening ends
constexpr double stalled = 0.93;        // of the vertices left: no more coarsening
constexpr LocalIndex many = 5000;       // vertices, from which on several separators are refined,
constexpr LocalIndex many_to_few = 16;  // on graphs of up to so much fewer vertices,
constexpr int separators_tried = 2;     // as many as this
constexpr int growths = 3;              // on the coarsest graph
constexpr int growth_passes = 3;        // of refinement there, each
constexpr int passes = 8;               // on others

/// Moves without gain before a pass ends: where there are many vertices, they cost little.
Index patience_for(LocalIndex size) {
  return std::clamp<Index>(size / 20, 60, 1000);
}

void multilevel(const GraphPart& graph, std::uint64_t seed, int tries, Workspace& workspace,
                Workspaces& workspaces, std::span<std::uint8_t> side);

/// Parts grown from several vertices, the best of them.
void grow_several(const GraphPart& graph, std::uint64_t seed, Workspace& workspace,
                  std::span<std::uint8_t> side) {
  const ArenaScope scope(workspace.arena);
  const auto tried = workspace.arena.take<std::uint8_t>(graph.size);
  const auto gains = workspace.arena.take<LocalIndex>(graph.size);
  Cost best;
  for (int k = 0; k < growths; ++k) {
    std::fill(tried.begin(), tried.end(), static_cast<std::uint8_t>(right));
    workspace.refiner.begin(graph, tried, gains);
    workspace.refiner.grow(static_cast<LocalIndex>(
        random_below(random_bits(seed, static_cast<std::uint64_t>(k)), graph.size)));
    workspace.refiner.improve(growth_passes, patience_for(graph.size));
    const Cost cost = workspace.refiner.cost();
    if (k > 0 && !(cost < best)) continue;
    best = cost;
    std::copy(tried.begin(), tried.end(), side.begin());
    if (cost.excess == 0 && cost.separator == 0) break;
  }
}

/// The best of several separators, each refined by itself.
void try_several(const GraphPart& graph, std::uint64_t seed, int tries, Workspace& workspace,
                 Workspaces& workspaces, std::span<std::uint8_t> side) {
  const auto sides = workspace.arena.take<std::uint8_t>(Index{graph.size} * tries);
  std::vector<Cost> costs(tries);
  const auto side_of = [&](int k) {
    return sides.subspan(std::size_t(k) * graph.size, graph.size);
  };
  FirstFailure failure;
  for (int k = 0; k < tries; ++k) {
#pragma omp task default(shared) firstprivate(k)
    failure.catch_from([&] {
      Workspaces::Loan loan(workspaces);
      multilevel(graph, random_bits(seed, static_cast<std::uint64_t>(k)), 1, *loan, workspaces,
                 side_of(k));
      costs[k] = (*loan).refiner.cost();
    });
  }
#pragma omp taskwait
  failure.rethrow();
  const auto best = std::min_element(costs.begin(), costs.end()) - costs.begin();
  const auto chosen = side_of(static_cast<int>(best));
  std::copy(chosen.begin(), chosen.end(), side.begin());
}

void multilevel(const GraphPart& graph, std::uint64_t seed, int tries, Workspace& workspace,
                Workspaces& workspaces, std::span<std::uint8_t> side) {
  Arena& arena = workspace.arena;
  const ArenaScope scope(arena);
  const bool several = tries > 1 && graph.size >= many;
  const LocalIndex target = several ? graph.size / many_to_few : coarsest;
  const Index heaviest = std::max<Index>(1, graph.weight * 3 / (2 * Index{coarsest}));
  std::vector<Coarser> levels;
  const GraphPart* coarse = &graph;
  while (coarse->size > target) {
    levels.push_back(coarsen(*coarse, heaviest, workspaces, arena));
    const LocalIndex before =
        levels.size() == 1 ? graph.size : levels[levels.size() - 2].graph.size;
    coarse = &levels.back().graph;
    if (coarse->size > stalled * before) break;
  }
  std::span<std::uint8_t> now = levels.empty() ? side : arena.take<std::uint8_t>(coarse->size);
  if (several) {
    try_several(*coarse, seed, tries, workspace, workspaces, now);
  } else {
    grow_several(*coarse, seed, workspace, now);
  }
  Refiner& refiner = workspace.refiner;
  const auto gains = arena.take<LocalIndex>(graph.size);
  if (levels.empty()) refiner.begin(graph, side, gains);
  for (std::size_t level = levels.size(); level-- > 0;) {
    const GraphPart& finer = level == 0 ? graph : levels[level - 1].graph;
    const auto finer_side = level == 0 ? side : arena.take<std::uint8_t>(finer.size);
    const auto coarse_of = levels[level].coarse_of;
    Blocks(finer).each([&](int, LocalIndex first, LocalIndex end) {
      for (LocalIndex v = first; v < end; ++v) finer_side[v] = now[coarse_of[v]];
    });
    now = finer_side;
    refiner.begin(finer, now, gains);
    refiner.improve(passes, patience_for(finer.size));
  }
}

}  // namespace

void bisect(const GraphPart& graph, std::uint64_t seed, Workspaces& workspaces,
            std::span<std::uint8_t> side) {
  Workspaces::Loan loan(workspaces);
  multilevel(graph, seed, separators_tried, *loan, workspaces, side);
}

}  // namespace spsolve::sparse::dissection
