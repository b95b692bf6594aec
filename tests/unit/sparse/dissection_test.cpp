// Orders of elimination by nested dissection: of odd graphs, the same for all threads, and with
// little fill where graphs are meshes.

#include "sparse/dissection/dissection.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "matrix/random.hpp"

namespace spsolve {
namespace {

using Edges = std::vector<std::pair<LocalIndex, LocalIndex>>;

Graph graph_from(LocalIndex vertices, const Edges& edges) {
  Edges both;
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    both.emplace_back(a, b);
    both.emplace_back(b, a);
  }
  std::sort(both.begin(), both.end());
  both.erase(std::unique(both.begin(), both.end()), both.end());
  Graph graph;
  graph.starts.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (const auto& [a, b] : both) {
    ++graph.starts[a + 1];
    graph.neighbours.push_back(b);
  }
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  return graph;
}

/// nx x ny x nz vertices, each next to those whose coordinates differ by 1 in at most `differing`
/// of them.
Graph grid(LocalIndex nx, LocalIndex ny, LocalIndex nz, int differing) {
  Edges edges;
  const auto at = [&](LocalIndex x, LocalIndex y, LocalIndex z) { return (z * ny + y) * nx + x; };
  const auto inside = [](LocalIndex x, LocalIndex n) { return x >= 0 && x < n; };
  for (LocalIndex z = 0; z < nz; ++z)
    for (LocalIndex y = 0; y < ny; ++y)
      for (LocalIndex x = 0; x < nx; ++x)
        for (int d = 0; d < 27; ++d) {
          const int dx = d % 3 - 1;
          const int dy = d / 3 % 3 - 1;
          const int dz = d / 9 - 1;
          if (std::abs(dx) + std::abs(dy) + std::abs(dz) > differing) continue;
          if (inside(x + dx, nx) && inside(y + dy, ny) && inside(z + dz, nz))
            edges.emplace_back(at(x, y, z), at(x + dx, y + dy, z + dz));
        }
  return graph_from(nx * ny * nz, edges);
}

Graph path(LocalIndex n) {
  return grid(n, 1, 1, 1);
}

Graph star(LocalIndex n) {
  Edges edges;
  for (LocalIndex v = 1; v < n; ++v) edges.emplace_back(0, v);
  return graph_from(n, edges);
}

Graph clique(LocalIndex n) {
  Edges edges;
  for (LocalIndex v = 0; v < n; ++v)
    for (LocalIndex u = 0; u < v; ++u) edges.emplace_back(u, v);
  return graph_from(n, edges);
}

/// Every vertex of `left` next to each of `right` others.
Graph bipartite(LocalIndex left, LocalIndex right) {
  Edges edges;
  for (LocalIndex v = 0; v < left; ++v)
    for (LocalIndex u = 0; u < right; ++u) edges.emplace_back(v, left + u);
  return graph_from(left + right, edges);
}

/// Vertices come one by one and choose `links` earlier ones, the more easily the more neighbours
/// those have (Barabasi and Albert 1999).
Graph power_law(LocalIndex n, int links) {
  std::vector<LocalIndex> ends{0, 1};
  Edges edges{{0, 1}};
  std::uint64_t draws = 0;
  for (LocalIndex v = 2; v < n; ++v)
    for (int k = 0; k < links; ++k) {
      const LocalIndex u = ends[random_below(random_bits(1, draws++), std::ssize(ends))];
      if (u == v) continue;
      edges.emplace_back(u, v);
      ends.push_back(u);
      ends.push_back(v);
    }
  return graph_from(n, edges);
}

/// Each vertex next to `links` that are drawn from all.
Graph random_graph(LocalIndex n, int links) {
  Edges edges;
  for (LocalIndex v = 0; v < n; ++v)
    for (int k = 0; k < links; ++k)
      edges.emplace_back(
          v, random_below(random_bits(2, static_cast<std::uint64_t>(v) * links + k), n));
  return graph_from(n, edges);
}

Graph random_tree(LocalIndex n) {
  Edges edges;
  for (LocalIndex v = 1; v < n; ++v)
    edges.emplace_back(v, random_below(random_bits(3, static_cast<std::uint64_t>(v)), v));
  return graph_from(n, edges);
}

/// All graphs of the list next to each other, without an edge between them.
Graph beside(const std::vector<Graph>& graphs) {
  Edges edges;
  LocalIndex first = 0;
  for (const Graph& graph : graphs) {
    for (LocalIndex v = 0; v < graph.size(); ++v)
      for (const LocalIndex u : graph.of(v)) edges.emplace_back(first + v, first + u);
    first += graph.size();
  }
  return graph_from(first, edges);
}

/// The graph with other numbers for the vertices.
Graph shuffled(const Graph& graph) {
  std::vector<LocalIndex> name(graph.size());
  std::iota(name.begin(), name.end(), 0);
  for (LocalIndex k = graph.size() - 1; k > 0; --k)
    std::swap(name[k], name[random_below(random_bits(4, static_cast<std::uint64_t>(k)), k + 1)]);
  Edges edges;
  for (LocalIndex v = 0; v < graph.size(); ++v)
    for (const LocalIndex u : graph.of(v)) edges.emplace_back(name[v], name[u]);
  return graph_from(graph.size(), edges);
}

/// A path on which every vertex has a neighbour in common with all others.
Graph path_with_hub(LocalIndex n) {
  Edges edges;
  for (LocalIndex v = 1; v < n; ++v) {
    edges.emplace_back(v - 1, v);
    edges.emplace_back(n / 2, v);
  }
  return graph_from(n, edges);
}

Graph weighing(Graph graph, const std::function<LocalIndex(LocalIndex)>& weight) {
  graph.weights.resize(graph.size());
  for (LocalIndex v = 0; v < graph.size(); ++v) graph.weights[v] = weight(v);
  return graph;
}

/// sum over the columns j of L of nnz(L(:, j))^2, the flops of LL^T, by the elimination tree's row
/// subtrees (Liu 1990).
double flops_of(const Graph& graph, const std::vector<LocalIndex>& order) {
  const LocalIndex n = graph.size();
  std::vector<LocalIndex> place(n);
  for (LocalIndex k = 0; k < n; ++k) place[order[k]] = k;
  std::vector<LocalIndex> parent(n, -1);
  std::vector<LocalIndex> mark(n, -1);
  std::vector<double> count(n, 1);
  for (LocalIndex k = 0; k < n; ++k) {
    mark[k] = k;
    for (const LocalIndex u : graph.of(order[k])) {
      if (place[u] > k) continue;
      for (LocalIndex i = place[u]; mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        ++count[i];
        mark[i] = k;
      }
    }
  }
  return std::inner_product(count.begin(), count.end(), count.begin(), 0.0);
}

void expect_permutation(const std::vector<LocalIndex>& order, LocalIndex n) {
  ASSERT_EQ(std::ssize(order), n);
  std::vector<bool> seen(n, false);
  for (const LocalIndex v : order) {
    ASSERT_GE(v, 0);
    ASSERT_LT(v, n);
    ASSERT_FALSE(seen[v]) << v << " twice";
    seen[v] = true;
  }
}

struct OddGraph {
  std::string name;
  Graph graph;
};

std::vector<OddGraph> odd_graphs() {
  return {
      {"nothing", Graph{}},
      {"one vertex", graph_from(1, {})},
      {"one edge", path(2)},
      {"no edges", graph_from(5000, {})},
      {"path", path(20000)},
      {"star", star(20000)},
      {"stars of middling size", beside(std::vector<Graph>(30, star(700)))},
      {"clique", clique(700)},
      {"bipartite", bipartite(30, 3000)},
      {"power law", power_law(4000, 2)},
      {"power law tree", power_law(8000, 1)},
      {"random", random_graph(1000, 6)},
      {"random tree", random_tree(5000)},
      {"hub", path_with_hub(10000)},
      {"components", beside({grid(30, 30, 1, 1), path(3), clique(20), star(900), grid(8, 8, 8, 3),
                             graph_from(700, {})})},
      {"alike components", beside(std::vector<Graph>(40, grid(6, 6, 1, 1)))},
      {"shuffled grid", shuffled(grid(70, 70, 1, 1))},
      {"one heavy vertex",
       weighing(grid(40, 40, 1, 1), [](LocalIndex v) { return v == 777 ? 1000000000 : 1; })},
      {"weights of all sizes",
       weighing(grid(40, 40, 1, 2), [](LocalIndex v) { return 1 << (v * 7 % 19); })},
  };
}

TEST(Dissection, OrdersOddGraphsTheSameForAnyNumberOfThreads) {
  for (const auto& [name, graph] : odd_graphs()) {
    SCOPED_TRACE(name);
    const auto order = nested_dissection(graph, {.threads = 1});
    expect_permutation(order, graph.size());
    for (const int threads : {2, 4})
      EXPECT_EQ(nested_dissection(graph, {.threads = threads}), order) << threads << " threads";
  }
}

TEST(Dissection, OrdersLargeGraphsTheSameForAnyNumberOfThreads) {
  const Graph graph = grid(220, 220, 1, 1);  // threads share passes over its vertices
  const auto order = nested_dissection(graph, {.threads = 1});
  expect_permutation(order, graph.size());
  for (const int threads : {2, 4})
    EXPECT_EQ(nested_dissection(graph, {.threads = threads}), order) << threads << " threads";
}

TEST(Dissection, HasPartsWithoutAnEdgeBetweenThem) {
  const Graph graph = grid(120, 120, 1, 1);
  std::vector<PlaceRange> parts;
  const auto order = nested_dissection(graph, {.threads = 2, .leaf = 50}, &parts);
  ASSERT_GT(parts.size(), 64U);
  const int none = -1;
  std::vector<int> part_of(graph.size(), none);
  LocalIndex before = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const auto [first, end] = parts[part];
    ASSERT_LE(before, first);
    ASSERT_LT(first, end);
    EXPECT_LE(end - first, graph.size() / 64);
    for (LocalIndex k = first; k < end; ++k) part_of[order[k]] = static_cast<int>(part);
    before = end;
  }
  ASSERT_LE(before, graph.size());
  for (LocalIndex v = 0; v < graph.size(); ++v) {
    for (const LocalIndex u : graph.of(v)) {
      if (part_of[u] != none && part_of[v] != none) {
        EXPECT_EQ(part_of[u], part_of[v]);
      }
    }
  }
}

TEST(Dissection, WorksWithinParallelRegions) {
  const Graph graph = grid(40, 40, 1, 1);
  const auto order = nested_dissection(graph);
  std::vector<LocalIndex> orders[2];
#pragma omp parallel for num_threads(2)
  for (int k = 0; k < 2; ++k) orders[k] = nested_dissection(graph);
  EXPECT_EQ(orders[0], order);
  EXPECT_EQ(orders[1], order);
}

TEST(Dissection, TakesLeavesOfAnySize) {
  const Graph graph = grid(25, 25, 1, 1);
  for (const LocalIndex leaf : {0, 1, 7, 10000}) {
    SCOPED_TRACE(leaf);
    expect_permutation(nested_dissection(graph, {.leaf = leaf}), graph.size());
  }
}

// The flops that METIS_NodeND 5.1 takes for these.
TEST(Dissection, TakesFewFlopsForMeshes) {
  const struct {
    std::string name;
    Graph graph;
    double flops;
  } cases[] = {{"5 points", grid(60, 60, 1, 1), 1.90e6},
               {"9 points", grid(50, 50, 1, 2), 2.17e6},
               {"7 points", grid(16, 16, 16, 1), 4.72e7},
               {"27 points", grid(12, 12, 12, 3), 1.80e7},
               {"plate", grid(40, 40, 4, 1), 3.61e7}};
  for (const auto& [name, graph, flops] : cases) {
    EXPECT_LT(flops_of(graph, nested_dissection(graph)), 1.25 * flops) << name;
    const Graph other = shuffled(graph);
    EXPECT_LT(flops_of(other, nested_dissection(other)), 1.25 * flops) << name << ", shuffled";
  }
}

// An order without fill takes 4 flops a vertex; separators have two entries in the rows of others.
TEST(Dissection, FillsLittleInPaths) {
  EXPECT_LT(flops_of(path(4000), nested_dissection(path(4000))), 3 * 4 * 4000.0);
}

TEST(Dissection, PutsWhatHasVeryManyNeighboursLast) {
  const Graph graph = path_with_hub(20000);
  EXPECT_EQ(nested_dissection(graph).back(), 10000);
}

TEST(Dissection, HalvesTheWeight) {
  const LocalIndex n = 4000;
  const Graph graph = weighing(path(n), [](LocalIndex v) { return v < 400 ? 20 : 1; });
  const LocalIndex last = nested_dissection(graph).back();
  double before = 0;
  double all = 0;
  for (LocalIndex v = 0; v < n; ++v) {
    all += graph.weight(v);
    if (v < last) before += graph.weight(v);
  }
  EXPECT_GT(before / all, 0.35);
  EXPECT_LT(before / all, 0.65);
}

TEST(Dissection, PrefersSeparatorsOfLittleWeight) {
  const LocalIndex width = 8;
  const auto is_light = [&](LocalIndex v) { return v / width % 8 == 5; };
  const Graph graph =
      weighing(grid(width, 200, 1, 2), [&](LocalIndex v) { return is_light(v) ? 1 : 3; });
  const auto order = nested_dissection(graph);
  EXPECT_TRUE(std::all_of(order.end() - width, order.end(), is_light));
}

}  // namespace
}  // namespace spsolve
