#include "sparse/ordering/ordering.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <amd.h>
#include <omp.h>

#include "core/error.hpp"
#include "core/tuning.hpp"
#include "sparse/dissection/dissection.hpp"

namespace spsolve::inline sparse {

namespace {

std::vector<LocalIndex> minimum_degree(const Graph& graph) {
  const LocalIndex n = graph.size();
  std::vector<LocalIndex> order(n);
  if (graph.neighbours.empty()) {  // AMD wants an array of them
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  int status;
  if (graph.starts[n] <= std::numeric_limits<int>::max()) {
    const std::vector<int> starts(graph.starts.begin(), graph.starts.end());
    status = amd_order(n, starts.data(), graph.neighbours.data(), order.data(), control, info);
  } else {
    using Long = SuiteSparse_long;
    const std::vector<Long> starts(graph.starts.begin(), graph.starts.end());
    const std::vector<Long> neighbours(graph.neighbours.begin(), graph.neighbours.end());
    std::vector<Long> wide(n);
    status = static_cast<int>(
        amd_l_order(n, starts.data(), neighbours.data(), wide.data(), control, info));
    std::copy(wide.begin(), wide.end(), order.begin());
  }
  if (status < AMD_OK) {
    fail(ExitCode::resources, "AMD could not order {} vertices (its status: {})", n, status);
  }
  return order;
}

/// Vertices of a component from `root` on by levels, those of a level by ascending degree of what
/// they hang on; appended to `order`. `seen` gets `mark`. Hands back where the last level begins.
std::size_t walk_levels(const Graph& graph, LocalIndex root, LocalIndex mark,
                        std::vector<LocalIndex>& seen, std::vector<LocalIndex>& order) {
  const auto degree = [&](LocalIndex v) { return graph.of(v).size(); };
  std::size_t level = order.size(), next_level = level + 1, at = level;
  order.push_back(root);
  seen[root] = mark;
  while (at < order.size()) {
    if (at == next_level) {
      level = next_level;
      next_level = order.size();
    }
    const std::size_t before = order.size();
    for (const LocalIndex u : graph.of(order[at++])) {
      if (seen[u] == mark) continue;
      seen[u] = mark;
      order.push_back(u);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(before), order.end(),
              [&](LocalIndex a, LocalIndex b) {
                return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
              });
    if (at == next_level && order.size() > next_level) {
      level = next_level;
      next_level = order.size();
    }
  }
  return level;
}

std::vector<LocalIndex> reverse_cuthill_mckee(const Graph& graph) {
  const LocalIndex n = graph.size();
  std::vector<LocalIndex> order, seen(n, -1);
  order.reserve(n);
  LocalIndex mark = 0;
  for (LocalIndex v = 0; v < n; ++v) {
    if (seen[v] != -1) continue;
    const std::size_t begin = order.size();
    LocalIndex root = v;
    // A vertex at the far end of the far end: as far out as levels find one.
    for (int round = 0; round < 3; ++round) {
      order.resize(begin);
      const std::size_t last = walk_levels(graph, root, mark++, seen, order);
      if (round < 2) {
        root = *std::min_element(
            order.begin() + static_cast<std::ptrdiff_t>(last), order.end(),
            [&](LocalIndex a, LocalIndex b) { return graph.of(a).size() < graph.of(b).size(); });
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

OrderedGraph ordered_by(const Graph& graph, Ordering ordering, Progress* progress,
                        std::span<const LocalIndex> given = {}) {
  OrderedGraph result;
  result.ordering = ordering;
  std::vector<PlaceRange> parts;
  switch (ordering) {
    case Ordering::nested_dissection:
      result.order = nested_dissection(graph, {.progress = progress}, &parts);
      break;
    case Ordering::amd:
      result.order = minimum_degree(graph);
      break;
    case Ordering::rcm:
      result.order = reverse_cuthill_mckee(graph);
      break;
    case Ordering::file:
      if (static_cast<LocalIndex>(given.size()) != graph.size()) {
        fail(ExitCode::internal, "an order of {} for {} unknowns", given.size(), graph.size());
      }
      result.order.assign(given.begin(), given.end());
      break;
    default:
      result.order.resize(graph.size());
      std::iota(result.order.begin(), result.order.end(), 0);
  }
  result.tree = postordered_tree(graph, result.order, parts);
  result.cost = cost_of(graph, result.order, result.tree);
  return result;
}

/// Whether dissection is far better than minimum degree.
bool is_like_a_solid(const Graph& graph) {
  const LocalIndex n = graph.size();
  std::size_t most = 0;
  for (LocalIndex v = 0; v < n; ++v) most = std::max(most, graph.of(v).size());
  return has_degrees_of_solids(static_cast<double>(graph.starts[n]) / n, static_cast<double>(most));
}

/// A host with a GPU has many threads for small graphs, too, and these have no work for all of
/// them.
double seconds_of_dissection(double vertices, int threads, MemoryKind memory) {
  constexpr double vertices_of_thread = 5000;
  const double working = memory == MemoryKind::host
                             ? threads
                             : std::clamp(vertices / vertices_of_thread, 1.0, 1.0 * threads);
  return vertices * host_tuning.seconds_of_dissected_vertex / working;
}

/// Seconds of an elimination by a tree whose fronts are not known yet.
double seconds_on_gpu(const OrderedGraph& ordered) {
  constexpr double columns_of_front = 6;  // at least, as small ones are taken together
  const double levels = static_cast<double>(height_of(ordered.tree.parent)) / columns_of_front;
  return predicted_gpu_seconds(ordered.cost.flops, ordered.cost.entries,
                               levels * gpu_tuning.seconds_of_level);
}

/// Whether separators are too large for a solid's, as those of expanders are, of which rows name
/// others anywhere: it takes 2 n^2 flops with one unknown and 7 neighbours a node, 20 n^2 with
/// three and 27.
bool fills_in(const OrderedGraph& dissected) {
  const double n = static_cast<double>(dissected.order.size());
  constexpr double most_of_solids = 60, share_of_dense = 0.02;
  return dissected.cost.flops > n * n * std::min(most_of_solids, share_of_dense * n / 3);
}

/// The ordering that is predicted to be eliminated sooner.
OrderedGraph sooner(OrderedGraph dissected, OrderedGraph simple, MemoryKind memory) {
  const bool is_better = memory == MemoryKind::gpu
                             ? seconds_on_gpu(dissected) < seconds_on_gpu(simple)
                             : dissected.cost.flops < simple.cost.flops;
  return std::move(is_better ? dissected : simple);
}

}  // namespace

bool has_degrees_of_solids(double mean, double most) {
  return mean >= host_tuning.degree_of_solids && most <= host_tuning.most_spread_of_degrees * mean;
}

double predicted_seconds(double flops, Index factor_entries, int threads) {
  return flops / (host_tuning.sparse_flops_per_second * threads) +
         static_cast<double>(factor_entries) * host_tuning.seconds_of_sparse_entry;
}

double predicted_gpu_seconds(double flops, Index factor_entries, double longest_path) {
  return flops / gpu_tuning.sparse_flops_per_second +
         static_cast<double>(factor_entries) * gpu_tuning.seconds_of_sparse_entry + longest_path;
}

OrderedGraph order_graph(const Graph& graph, Ordering wanted, std::span<const LocalIndex> given,
                         OrderUse use) {
  if (wanted != Ordering::automatic) return ordered_by(graph, wanted, use.progress, given);
  const double n = static_cast<double>(graph.size());
  const int threads = omp_get_max_threads();
  if (n > host_tuning.most_by_minimum_degree && is_like_a_solid(graph)) {
    OrderedGraph dissected = ordered_by(graph, Ordering::nested_dissection, use.progress);
    if (!fills_in(dissected)) return dissected;
    return sooner(std::move(dissected), ordered_by(graph, Ordering::amd, use.progress), use.memory);
  }
  OrderedGraph simple = ordered_by(graph, Ordering::amd, use.progress);
  double seconds = predicted_seconds(simple.cost.flops, simple.cost.entries, threads);
  if (use.memory == MemoryKind::gpu) {
    constexpr double passes = 4;  // an elimination, and sweeps of a few solves
    const double all = passes * static_cast<double>(use.systems) * seconds_on_gpu(simple);
    seconds = std::max(seconds, all);
  }
  if (n <= host_tuning.most_by_minimum_degree ||
      seconds <= seconds_of_dissection(n, threads, use.memory)) {
    return simple;
  }
  return sooner(ordered_by(graph, Ordering::nested_dissection, use.progress), std::move(simple),
                use.memory);
}

}  // namespace spsolve::sparse
