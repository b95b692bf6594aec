#include "sparse/dissection/dissection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <omp.h>

#include "core/untouched_array.hpp"
#include "matrix/random.hpp"
#include "sparse/dissection/bisect.hpp"
#include "sparse/dissection/first_failure.hpp"
#include "sparse/dissection/leaf.hpp"

namespace spsolve {
namespace {

using namespace dissection;

constexpr LocalIndex task_size = 2000;  // vertices of a part that another thread may take
constexpr double lopsided = 0.85;       // of the vertices in one part
// So many such splits above a part, and minimum degree takes the next one whole.
constexpr int lopsided_allowed = 3;

/// Memory for the vertices and edges of parts. Those of a part with the first place p in the order
/// begin at place p, so that its two parts find room in another of these, in which nobody else
/// writes.
struct Storage {
  UntouchedArray<Index> starts;  // from 2 p: a part of n vertices has n + 1 of them
  UntouchedArray<LocalIndex> neighbours;
  UntouchedArray<LocalIndex> weights;
  UntouchedArray<LocalIndex> labels;  // what the vertices are called outside

  Storage(Index size, Index edges)
      : starts(2 * size + 2), neighbours(edges + 1), weights(size + 1), labels(size + 1) {}
};

/// A part whose vertices come at order[first], order[first + 1], ...
struct Piece {
  Part graph;
  const LocalIndex* labels;
  LocalIndex first;
};

class Dissection {
 public:
  Dissection(const Graph& graph, LocalIndex leaf)
      : graph_(graph),
        leaf_(std::max<LocalIndex>(leaf, 1)),
        storage_{{graph.size(), std::ssize(graph.neighbours)},
                 {graph.size(), std::ssize(graph.neighbours)}},
        order_(graph.size()),
        ranks_(graph.size(), -1) {}

  std::vector<LocalIndex> run();

 private:
  Piece extract(const Piece& piece, std::span<const LocalIndex> place, std::uint8_t wanted,
                std::span<const std::uint8_t> side, LocalIndex first, Index edge, int into);
  void dissect(const Piece& piece, std::uint64_t path, int depth, int lopsided_above);
  void order_leaf(const Piece& piece);

  const Graph& graph_;
  LocalIndex leaf_;
  Storage storage_[2];
  Workspaces workspaces_;
  std::vector<LocalIndex> order_;
  std::vector<LocalIndex> ranks_;  // order_[ranks_[v]] = v for v in a separator, -1 for others
};

/// The vertices of one side, as a piece of its own. place: of each vertex within its side.
Piece Dissection::extract(const Piece& piece, std::span<const LocalIndex> place,
                          std::uint8_t wanted, std::span<const std::uint8_t> side, LocalIndex first,
                          Index edge, int into) {
  const Part& graph = piece.graph;
  Storage& to = storage_[into];
  Index* const starts = to.starts.data() + 2 * Index{first};
  LocalIndex* const weights = to.weights.data() + first;
  LocalIndex* const labels = to.labels.data() + first;
  LocalIndex* const neighbours = to.neighbours.data();
  LocalIndex count = 0;
  Index weight = 0;
  for (LocalIndex v = 0; v < graph.size; ++v) {
    if (side[v] != wanted) continue;
    starts[count] = edge;
    weights[count] = graph.weights[v];
    labels[count++] = piece.labels[v];
    weight += graph.weights[v];
    for (Index k = graph.starts[v]; k < graph.starts[v + 1]; ++k) {
      const LocalIndex u = graph.neighbours[k];
      if (side[u] == wanted) neighbours[edge++] = place[u];
    }
  }
  starts[count] = edge;
  return {{count, starts, neighbours, nullptr, weights, weight}, labels, first};
}

void Dissection::order_leaf(const Piece& piece) {
  Workspaces::Loan loan(workspaces_);
  const std::span<LocalIndex> order(order_.data() + piece.first, piece.graph.size);
  order_by_degree(piece.graph, {graph_, piece.labels, ranks_.data()}, (*loan).arena, order);
  for (LocalIndex& v : order) v = piece.labels[v];
}

/// depth: its parity says in which storage the piece lies; path: says which piece it is.
void Dissection::dissect(const Piece& piece, std::uint64_t path, int depth, int lopsided_above) {
  const LocalIndex size = piece.graph.size;
  if (size <= leaf_) return order_leaf(piece);
  Piece parts[2];
  {
    Workspaces::Loan loan(workspaces_);
    Arena& arena = (*loan).arena;
    const ArenaScope scope(arena);
    const auto side = arena.take<std::uint8_t>(size);
    bisect(piece.graph, path, workspaces_, side);
    const auto place = arena.take<LocalIndex>(size);
    LocalIndex counts[3] = {0, 0, 0};
    for (LocalIndex v = 0; v < size; ++v) place[v] = counts[side[v]]++;
    if (counts[left] == 0 && counts[right] == 0) return order_leaf(piece);
    if (std::max({counts[left], counts[right], counts[separator]}) > lopsided * size)
      ++lopsided_above;
    if (lopsided_above > lopsided_allowed) return order_leaf(piece);
    // Edges of the right part begin where those of the left one surely end.
    const Index edge = piece.graph.starts[0];
    Index edges_left = 0;
    for (LocalIndex v = 0; v < size; ++v)
      if (side[v] == left) edges_left += piece.graph.starts[v + 1] - piece.graph.starts[v];
    const int into = (depth + 1) % 2;
#pragma omp task default(shared) if (size >= task_size)
    parts[left] = extract(piece, place, left, side, piece.first, edge, into);
    parts[right] =
        extract(piece, place, right, side, piece.first + counts[left], edge + edges_left, into);
    const LocalIndex last = piece.first + counts[left] + counts[right];
    for (LocalIndex v = 0; v < size; ++v) {
      if (side[v] != separator) continue;
      ranks_[piece.labels[v]] = last + place[v];
      order_[last + place[v]] = piece.labels[v];
    }
#pragma omp taskwait
  }
  FirstFailure failure;
  for (int k = 0; k < 2; ++k) {
    const Piece part = parts[k];
    if (part.graph.size == 0) continue;
    const std::uint64_t part_path = random_bits(path, static_cast<std::uint64_t>(k) + 1);
#pragma omp task default(shared) firstprivate(part, part_path) if (part.graph.size >= task_size)
    failure.catch_from([&] { dissect(part, part_path, depth + 1, lopsided_above); });
  }
#pragma omp taskwait
  failure.rethrow();
}

std::vector<LocalIndex> Dissection::run() {
  const LocalIndex n = graph_.size();
  if (n == 0) return {};
  // What has far more neighbours than others comes last.
  const double dense = std::max(16.0, 10 * std::sqrt(static_cast<double>(n)));
  const auto is_dense = [&](LocalIndex v) {
    return static_cast<double>(graph_.starts[v + 1] - graph_.starts[v]) > dense;
  };
  // The components, each in the order of a breadth-first search, for locality.
  std::vector<LocalIndex> place(n, -1);
  Storage& to = storage_[0];
  LocalIndex* const labels = to.labels.data();
  LocalIndex count = 0;
  LocalIndex first = 0;
  Index edge = 0;
  std::vector<Piece> pieces;
  const auto finish = [&] {
    Index* const starts = to.starts.data() + 2 * Index{first};
    LocalIndex* const weights = to.weights.data() + first;
    Index weight = 0;
    for (LocalIndex k = first; k < count; ++k) {
      const LocalIndex v = labels[k];
      starts[k - first] = edge;
      weights[k - first] = graph_.weight(v);
      weight += graph_.weight(v);
      for (const LocalIndex u : graph_.of(v))
        if (place[u] >= 0) to.neighbours[edge++] = place[u] - first;
    }
    starts[count - first] = edge;
    pieces.push_back({{count - first, starts, to.neighbours.data(), nullptr, weights, weight},
                      labels + first,
                      first});
    first = count;
  };
  LocalIndex last = n;
  for (LocalIndex v = n; v-- > 0;)
    if (is_dense(v)) {
      order_[--last] = v;
      place[v] = -2;
    }
  for (LocalIndex root = 0; root < n; ++root) {
    if (place[root] != -1) continue;
    LocalIndex component = count;
    place[root] = count;
    labels[count++] = root;
    for (LocalIndex k = component; k < count; ++k) {
      for (const LocalIndex u : graph_.of(labels[k])) {
        if (place[u] != -1) continue;
        place[u] = count;
        labels[count++] = u;
      }
    }
    if (count - first > leaf_) finish();
  }
  if (count > first) finish();
  FirstFailure failure;
  for (const Piece& piece : pieces) {
#pragma omp task default(shared) firstprivate(piece)
    failure.catch_from(
        [&] { dissect(piece, mix_bits(static_cast<std::uint64_t>(piece.first)), 0, 0); });
  }
#pragma omp taskwait
  failure.rethrow();
  return std::move(order_);
}

}  // namespace

std::vector<LocalIndex> nested_dissection(const Graph& graph, const DissectionOptions& options) {
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  Dissection dissection(graph, options.leaf);
  std::vector<LocalIndex> order;
  FirstFailure failure;
#pragma omp parallel num_threads(threads)
#pragma omp single
  failure.catch_from([&] { order = dissection.run(); });
  failure.rethrow();
  return order;
}

}  // namespace spsolve
