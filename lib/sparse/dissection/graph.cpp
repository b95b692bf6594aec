#include "sparse/dissection/graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <omp.h>

#include "core/over_blocks.hpp"
#include "matrix/random.hpp"
#include "sparse/matching/permutation.hpp"

namespace spsolve::inline sparse {

namespace {

/// A pattern by its columns, with ascending rows.
struct Columns {
  std::vector<Index> starts;
  UntouchedVector<LocalIndex> rows;
};

/// The graph of an n x n pattern, row(i) of which are columns: threads take rows one after the
/// other, count them for each column and put them after those of the threads before. No more
/// threads than there are non-zeros a row, as each has n counters.
template <typename Row>
Columns transpose(LocalIndex n, Index nonzeros, const Row& row) {
  const Index most = worth_threads(nonzeros) ? nonzeros / n : 1;
  const int parts = static_cast<int>(std::clamp<Index>(omp_get_max_threads(), 1, most));
  Columns result{std::vector<Index>(n + 1), UntouchedVector<LocalIndex>(nonzeros)};
  // Allocated after the arrays that stay, so that nothing is left free between it and what comes
  // next.
  UntouchedVector<Index> counters(static_cast<std::size_t>(parts) * n);
  /// Calls begin(counters) for each part, then visit(counter of j, i) for the non-zeros of its
  /// rows.
  const auto walk = [&](const auto& begin, const auto& visit) {
#pragma omp parallel for schedule(static) num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; ++part) {
      const std::span<Index> own(counters.data() + static_cast<std::size_t>(part) * n, n);
      begin(own);
      const LocalIndex last = static_cast<LocalIndex>(Index{n} * (part + 1) / parts);
      for (LocalIndex i = static_cast<LocalIndex>(Index{n} * part / parts); i < last; ++i) {
        for (const LocalIndex j : row(i)) visit(own[j], i);
      }
    }
  };
  walk([](std::span<Index> own) { std::ranges::fill(own, 0); },
       [](Index& counter, LocalIndex) { ++counter; });
  Index next = 0;
  for (LocalIndex j = 0; j < n; ++j) {
    for (int part = 0; part < parts; ++part) {
      next += std::exchange(counters[static_cast<std::size_t>(part) * n + j], next);
    }
    result.starts[j + 1] = next;
  }
  walk([](std::span<Index>) {}, [&](Index& counter, LocalIndex i) { result.rows[counter++] = i; });
  return result;
}

}  // namespace

Graph graph_of(const std::vector<Index>& row_offsets, const std::vector<LocalIndex>& columns,
               std::span<const LocalIndex> row_of) {
  const LocalIndex n = static_cast<LocalIndex>(row_offsets.size() - 1);
  const auto row = [&](LocalIndex i) {
    const LocalIndex r = row_of.empty() ? i : row_of[i];
    return std::span<const LocalIndex>(columns.data() + row_offsets[r],
                                       columns.data() + row_offsets[r + 1]);
  };
  const Index nonzeros = static_cast<Index>(columns.size());
  const Columns transposed = transpose(n, nonzeros, row);
  const auto column = [&](LocalIndex j) {
    return std::span<const LocalIndex>(transposed.rows.data() + transposed.starts[j],
                                       transposed.rows.data() + transposed.starts[j + 1]);
  };
  /// Calls visit(u) for the neighbours of v in ascending order.
  const auto merge = [&](LocalIndex v, const auto& visit) {
    const std::span<const LocalIndex> a = row(v), b = column(v);
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      LocalIndex u;
      if (j == b.size() || (i < a.size() && a[i] < b[j])) {
        u = a[i++];
      } else {
        if (i < a.size() && a[i] == b[j]) ++i;
        u = b[j++];
      }
      if (u != v) visit(u);
    }
  };
  Graph graph;
  graph.starts.assign(n + 1, 0);
#pragma omp parallel for schedule(static) if (worth_threads(nonzeros))
  for (LocalIndex v = 0; v < n; ++v) {
    Index degree = 0;
    merge(v, [&](LocalIndex) { ++degree; });
    graph.starts[v + 1] = degree;
  }
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  graph.neighbours.resize(graph.starts[n]);
#pragma omp parallel for schedule(static) if (worth_threads(nonzeros))
  for (LocalIndex v = 0; v < n; ++v) {
    LocalIndex* next = graph.neighbours.data() + graph.starts[v];
    merge(v, [&](LocalIndex u) { *next++ = u; });
  }
  return graph;
}

PlacedGraph placed(const Graph& graph, const std::vector<LocalIndex>& order) {
  const LocalIndex n = graph.size();
  const std::vector<LocalIndex> place = inverse_of(order);
  PlacedGraph result;
  const bool many = worth_threads(std::ssize(graph.neighbours));
  result.starts.resize(n + 1);
#pragma omp parallel for schedule(static) if (many)
  for (LocalIndex k = 0; k < n; ++k) result.starts[k + 1] = std::ssize(graph.of(order[k]));
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  result.neighbours.resize(graph.neighbours.size());
  if (!graph.weights.empty()) result.weights.resize(n);
#pragma omp parallel for schedule(static) if (many)
  for (LocalIndex k = 0; k < n; ++k) {
    LocalIndex* to = result.neighbours.data() + result.starts[k];
    for (const LocalIndex u : graph.of(order[k])) *to++ = place[u];
    if (!graph.weights.empty()) result.weights[k] = graph.weights[order[k]];
  }
  return result;
}

Graph graph_of_symmetric(const std::vector<Index>& row_offsets,
                         const std::vector<LocalIndex>& columns) {
  const LocalIndex n = static_cast<LocalIndex>(row_offsets.size() - 1);
  const auto row = [&](LocalIndex i) {
    return std::span<const LocalIndex>(columns.data() + row_offsets[i],
                                       columns.data() + row_offsets[i + 1]);
  };
  Graph graph;
  graph.starts.assign(n + 1, 0);
#pragma omp parallel for schedule(static) if (worth_threads(std::ssize(columns)))
  for (LocalIndex v = 0; v < n; ++v) {
    const auto own = row(v);
    graph.starts[v + 1] = std::ssize(own) - std::binary_search(own.begin(), own.end(), v);
  }
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  graph.neighbours.resize(graph.starts[n]);
#pragma omp parallel for schedule(static) if (worth_threads(std::ssize(columns)))
  for (LocalIndex v = 0; v < n; ++v) {
    const auto own = row(v);
    std::copy_if(own.begin(), own.end(), graph.neighbours.begin() + graph.starts[v],
                 [v](LocalIndex u) { return u != v; });
  }
  return graph;
}

namespace {

/// Whether u and v have the same neighbours when each counts as its own.
bool same_neighbourhood(const Graph& graph, LocalIndex u, LocalIndex v) {
  const std::span<const LocalIndex> a = graph.of(u), b = graph.of(v);
  if (a.size() != b.size() || !std::binary_search(a.begin(), a.end(), v)) return false;
  std::size_t i = 0, j = 0;
  while (true) {
    if (i < a.size() && a[i] == v) ++i;
    if (j < b.size() && b[j] == u) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i++] != b[j++]) return false;
  }
}

}  // namespace

CompressedGraph compress(Graph graph) {
  const LocalIndex n = graph.size();
  const bool many = worth_threads(std::ssize(graph.neighbours));
  std::vector<std::uint64_t> hashes(n);
#pragma omp parallel for schedule(static) if (many)
  for (LocalIndex v = 0; v < n; ++v) {
    std::uint64_t sum = mix_bits(static_cast<std::uint64_t>(v));
    for (const LocalIndex u : graph.of(v)) sum += mix_bits(static_cast<std::uint64_t>(u));
    hashes[v] = sum;
  }
  // The first of the vertices that v is one with; v itself where there is none before it.
  std::vector<LocalIndex> leader(n);
  bool any = false;
#pragma omp parallel for schedule(static) reduction(|| : any) if (many)
  for (LocalIndex v = 0; v < n; ++v) {
    leader[v] = v;
    for (const LocalIndex u : graph.of(v)) {
      if (u >= v) break;
      if (hashes[u] == hashes[v] && same_neighbourhood(graph, u, v)) {
        leader[v] = u;
        any = true;
        break;
      }
    }
  }
  if (!any) return uncompressed(std::move(graph));
  CompressedGraph result;
  std::vector<LocalIndex> number(n);
  LocalIndex count = 0;
  for (LocalIndex v = 0; v < n; ++v) number[v] = leader[v] == v ? count++ : number[leader[v]];
  result.firsts.assign(count + 1, 0);
  for (LocalIndex v = 0; v < n; ++v) ++result.firsts[number[v] + 1];
  std::partial_sum(result.firsts.begin(), result.firsts.end(), result.firsts.begin());
  result.members.resize(n);
  {
    std::vector<LocalIndex> next(result.firsts.begin(), result.firsts.end() - 1);
    for (LocalIndex v = 0; v < n; ++v) result.members[next[number[v]]++] = v;
  }
  result.graph.weights.resize(count);
  result.graph.starts.assign(count + 1, 0);
  /// Calls visit(u) for the first vertices of the sets next to set g: numbers ascend with them.
  const auto beside = [&](LocalIndex g, const auto& visit) {
    for (const LocalIndex u : graph.of(result.members[result.firsts[g]])) {
      if (leader[u] == u && number[u] != g) visit(u);
    }
  };
#pragma omp parallel for schedule(static) if (many)
  for (LocalIndex g = 0; g < count; ++g) {
    result.graph.weights[g] = result.firsts[g + 1] - result.firsts[g];
    beside(g, [&](LocalIndex) { ++result.graph.starts[g + 1]; });
  }
  std::partial_sum(result.graph.starts.begin(), result.graph.starts.end(),
                   result.graph.starts.begin());
  result.graph.neighbours.resize(result.graph.starts.back());
#pragma omp parallel for schedule(static) if (many)
  for (LocalIndex g = 0; g < count; ++g) {
    LocalIndex* to = result.graph.neighbours.data() + result.graph.starts[g];
    beside(g, [&](LocalIndex u) { *to++ = number[u]; });
  }
  return result;
}

namespace {

/// The graph whose vertex g stands for firsts[g] and its mate.
Graph quotient(const Graph& graph, const std::vector<LocalIndex>& mate,
               const std::vector<LocalIndex>& firsts, const std::vector<LocalIndex>& number) {
  const auto count = static_cast<LocalIndex>(firsts.size());
  const bool many = worth_threads(std::ssize(graph.neighbours));
  Graph result;
  result.starts.assign(count + 1, 0);
  /// Calls visit(g, its neighbours, ascending) for all vertices.
  const auto walk = [&](const auto& visit) {
#pragma omp parallel if (many)
    {
      std::vector<LocalIndex> beside;
#pragma omp for schedule(static)
      for (LocalIndex g = 0; g < count; ++g) {
        const LocalIndex v = firsts[g];
        beside.clear();
        for (const LocalIndex u : graph.of(v)) beside.push_back(number[u]);
        if (mate[v] != v) {
          for (const LocalIndex u : graph.of(mate[v])) beside.push_back(number[u]);
        }
        std::ranges::sort(beside);
        beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
        std::erase(beside, g);
        visit(g, beside);
      }
    }
  };
  walk([&](LocalIndex g, const auto& beside) { result.starts[g + 1] = std::ssize(beside); });
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  result.neighbours.resize(result.starts.back());
  walk([&](LocalIndex g, const auto& beside) {
    std::ranges::copy(beside, result.neighbours.begin() + result.starts[g]);
  });
  return result;
}

}  // namespace

CompressedGraph compress_pairs(const Graph& graph, std::vector<LocalIndex> mate) {
  const LocalIndex n = graph.size();
  std::vector<LocalIndex> firsts, number(n);
  for (LocalIndex v = 0; v < n; ++v) {
    number[v] = mate[v] < v ? number[mate[v]] : static_cast<LocalIndex>(firsts.size());
    if (mate[v] >= v) firsts.push_back(v);
  }
  CompressedGraph result = compress(quotient(graph, mate, firsts, number));
  std::vector<LocalIndex> members, starts{0};
  members.reserve(n);
  const LocalIndex count = result.graph.size();
  result.graph.weights.resize(count);
  for (LocalIndex g = 0; g < count; ++g) {
    for (LocalIndex k = result.firsts[g]; k < result.firsts[g + 1]; ++k) {
      const LocalIndex v = firsts[result.members[k]];
      members.push_back(v);
      if (mate[v] != v) members.push_back(mate[v]);
    }
    starts.push_back(static_cast<LocalIndex>(members.size()));
    result.graph.weights[g] = starts[g + 1] - starts[g];
  }
  result.members = std::move(members);
  result.firsts = std::move(starts);
  result.mate = std::move(mate);
  return result;
}

CompressedGraph uncompressed(Graph graph) {
  CompressedGraph result;
  result.members.resize(graph.size());
  std::iota(result.members.begin(), result.members.end(), 0);
  result.firsts.resize(graph.size() + 1);
  std::iota(result.firsts.begin(), result.firsts.end(), 0);
  result.graph = std::move(graph);
  return result;
}

}  // namespace spsolve::sparse
