#include "sparse/dissection/dissection.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include <omp.h>

#include "core/untouched_array.hpp"
#include "matrix/random.hpp"
#include "sparse/dissection/bisect.hpp"
#include "sparse/dissection/blocks.hpp"
#include "sparse/dissection/leaf.hpp"

namespace spsolve::inline sparse {
namespace {

using namespace dissection;

constexpr LocalIndex task_size = 2000;   // vertices of a part that another thread may take
constexpr LocalIndex parts_wanted = 64;  // that others work on side by side
constexpr double lopsided = 0.85;        // of the vertices in one part
// So many such splits above a part, and minimum degree takes the next one whole.
constexpr int lopsided_allowed = 3;

/// Memory for the vertices and edges of parts. The vertices and edges of a part with the first
/// place p in the order begin at place p, so that its two parts find room in another of these, in
/// which nobody else writes.
struct Storage {
  UntouchedArray<Index> starts;  // from 2 p: a part of n vertices has n + 1 of them
  UntouchedArray<LocalIndex> neighbours;
  UntouchedArray<LocalIndex> weights;
  UntouchedArray<LocalIndex> labels;  // what the vertices are called outside

  Storage(Index size, Index edges)
      : starts(2 * size + 2), neighbours(edges + 1), weights(size + 1), labels(size + 1) {}
};

/// A part whose vertices come at order[first], order[first + 1], ...
struct OrderedPart {
  GraphPart graph;
  const LocalIndex* labels;
  LocalIndex first;
};

/// Vertices of each side and of the separator, and edges from those of the left side.
struct SideCounts {
  LocalIndex of[3] = {0, 0, 0};
  Index edges_left = 0;

  SideCounts& operator+=(const SideCounts& other) {
    for (int k = 0; k < 3; ++k) of[k] += other.of[k];
    edges_left += other.edges_left;
    return *this;
  }
};

class Dissection {
 public:
  Dissection(const Graph& graph, const DissectionOptions& options, std::vector<PlaceRange>* parts)
      : graph_(graph),
        leaf_(std::max<LocalIndex>(options.leaf, 1)),
        progress_(options.progress),
        parts_(parts),
        storage_{{graph.size(), std::ssize(graph.neighbours)},
                 {graph.size(), std::ssize(graph.neighbours)}},
        order_(graph.size()),
        ranks_(graph.size(), -1) {}

  /// Begins tasks of the calling team that do the rest.
  void run() noexcept {
    failure_.catch_from([&] { begin(); });
  }

  /// After all of them.
  std::vector<LocalIndex> result();

 private:
  void begin();
  OrderedPart extract(const OrderedPart& piece, const Blocks& blocks,
                      const std::vector<SideCounts>& counts, std::span<const LocalIndex> place,
                      std::uint8_t wanted, std::span<const std::uint8_t> side, LocalIndex first,
                      Index edge, int into);
  void dissect(const OrderedPart& piece, std::uint64_t path, int depth, int lopsided_above,
               bool notes);
  void note(const OrderedPart& piece);
  void order_leaf(const OrderedPart& piece);
  /// Tells that so many more vertices have their places.
  void tell(LocalIndex placed);

  const Graph& graph_;
  LocalIndex leaf_;
  Progress* progress_;
  std::mutex progress_mutex_;
  LocalIndex placed_ = 0;
  std::vector<PlaceRange>* parts_;
  std::mutex parts_mutex_;
  Storage storage_[2];
  Workspaces workspaces_;
  FirstFailure failure_;
  std::vector<LocalIndex> order_;
  std::vector<LocalIndex> ranks_;  // order_[ranks_[v]] = v for v in a separator, -1 for others
};

/// The vertices of one side, as a piece of its own. place: of each vertex within its side;
/// counts: how many there are before each block.
OrderedPart Dissection::extract(const OrderedPart& piece, const Blocks& blocks,
                                const std::vector<SideCounts>& counts,
                                std::span<const LocalIndex> place, std::uint8_t wanted,
                                std::span<const std::uint8_t> side, LocalIndex first, Index edge,
                                int into) {
  const GraphPart& graph = piece.graph;
  Storage& to = storage_[into];
  Index* const starts = to.starts.data() + 2 * Index{first};
  LocalIndex* const weights = to.weights.data() + first;
  LocalIndex* const labels = to.labels.data() + first;
  LocalIndex* const neighbours = to.neighbours.data();
  /// Calls visit(u) for the neighbours of v on the same side.
  const auto edges_of = [&](LocalIndex v, const auto& visit) {
    for (Index k = graph.starts[v]; k < graph.starts[v + 1]; ++k) {
      const LocalIndex u = graph.neighbours[k];
      if (side[u] == wanted) visit(u);
    }
  };
  const auto edges_before = blocks.before_each<Index>([&](LocalIndex begin, LocalIndex end) {
    Index edges = 0;
    for (LocalIndex v = begin; v < end; ++v) {
      if (side[v] == wanted) edges_of(v, [&](LocalIndex) { ++edges; });
    }
    return edges;
  });
  std::vector<Index> weight(blocks.count(), 0);
  const LocalIndex size = counts.back().of[wanted];
  blocks.each([&](int block, LocalIndex begin, LocalIndex end) {
    LocalIndex count = counts[block].of[wanted];
    Index next = edge + edges_before[block];
    for (LocalIndex v = begin; v < end; ++v) {
      if (side[v] != wanted) continue;
      starts[count] = next;
      weights[count] = graph.weights[v];
      labels[count++] = piece.labels[v];
      weight[block] += graph.weights[v];
      edges_of(v, [&](LocalIndex u) { neighbours[next++] = place[u]; });
    }
    if (block + 1 == blocks.count()) starts[size] = next;
  });
  return {{size, starts, neighbours, nullptr, weights,
           std::accumulate(weight.begin(), weight.end(), Index{0})},
          labels,
          first};
}

void Dissection::order_leaf(const OrderedPart& piece) {
  Workspaces::Loan loan(workspaces_);
  const std::span<LocalIndex> order(order_.data() + piece.first, piece.graph.size);
  order_by_degree(piece.graph, {graph_, piece.labels, ranks_.data()}, (*loan).arena, order);
  for (LocalIndex& v : order) v = piece.labels[v];
  tell(piece.graph.size);
}

void Dissection::tell(LocalIndex placed) {
  if (progress_ == nullptr) return;
  const std::lock_guard lock(progress_mutex_);
  placed_ += placed;
  progress_->done(placed_, graph_.size(),
                  share_of_ordering * static_cast<double>(placed_) / graph_.size());
}

void Dissection::note(const OrderedPart& piece) {
  const std::lock_guard lock(parts_mutex_);
  parts_->push_back({piece.first, piece.first + piece.graph.size});
}

/// depth: its parity says in which storage the piece lies; path: says which piece it is; notes:
/// whether it is to be noted as a part once it is small.
void Dissection::dissect(const OrderedPart& piece, std::uint64_t path, int depth,
                         int lopsided_above, bool notes) {
  if (failure_.came()) return;
  const LocalIndex size = piece.graph.size;
  if (notes && size <= std::max(leaf_, graph_.size() / parts_wanted)) {
    note(piece);
    notes = false;
  }
  if (size <= leaf_) return order_leaf(piece);
  OrderedPart parts[2];
  {
    Workspaces::Loan loan(workspaces_);
    Arena& arena = (*loan).arena;
    const ArenaScope scope(arena);
    const auto side = arena.take<std::uint8_t>(size);
    bisect(piece.graph, path, workspaces_, side);
    const Blocks blocks(piece.graph);
    const auto counts = blocks.starts<SideCounts>([&](LocalIndex first, LocalIndex end) {
      SideCounts count;
      for (LocalIndex v = first; v < end; ++v) {
        ++count.of[side[v]];
        if (side[v] == left) count.edges_left += piece.graph.starts[v + 1] - piece.graph.starts[v];
      }
      return count;
    });
    const auto& all = counts.back().of;
    if (all[left] == 0 && all[right] == 0) return order_leaf(piece);
    if (std::max({all[left], all[right], all[separator]}) > lopsided * size) ++lopsided_above;
    if (lopsided_above > lopsided_allowed) return order_leaf(piece);
    const auto place = arena.take<LocalIndex>(size);
    const LocalIndex last = piece.first + all[left] + all[right];
    blocks.each([&](int block, LocalIndex first, LocalIndex end) {
      SideCounts next = counts[block];
      for (LocalIndex v = first; v < end; ++v) {
        place[v] = next.of[side[v]]++;
        if (side[v] != separator) continue;
        ranks_[piece.labels[v]] = last + place[v];
        order_[last + place[v]] = piece.labels[v];
      }
    });
    // Edges of the right part begin where those of the left one surely end.
    const Index edge = piece.graph.starts[0];
    const int into = (depth + 1) % 2;
    FirstFailure failure;
#pragma omp task default(shared) if (size >= task_size)
    failure.catch_from([&] {
      parts[left] = extract(piece, blocks, counts, place, left, side, piece.first, edge, into);
    });
    failure.catch_from([&] {
      parts[right] = extract(piece, blocks, counts, place, right, side, piece.first + all[left],
                             edge + counts.back().edges_left, into);
    });
#pragma omp taskwait
    failure.rethrow();
    tell(all[separator]);
  }
  for (int k = 0; k < 2; ++k) {
    const OrderedPart part = parts[k];
    if (part.graph.size == 0) continue;
    const std::uint64_t part_path = random_bits(path, static_cast<std::uint64_t>(k) + 1);
#pragma omp task default(shared) \
    firstprivate(part, part_path, depth, lopsided_above, notes) if (part.graph.size >= task_size)
    failure_.catch_from([&] { dissect(part, part_path, depth + 1, lopsided_above, notes); });
  }
}

void Dissection::begin() {
  const LocalIndex n = graph_.size();
  if (n == 0) return;
  // Vertices with far more neighbours than others come last.
  const double dense = std::max(16.0, 10 * std::sqrt(static_cast<double>(n)));
  const auto is_dense = [&](LocalIndex v) {
    return static_cast<double>(graph_.starts[v + 1] - graph_.starts[v]) > dense;
  };
  // The components, each in the order of a breadth-first search, for locality.
  std::vector<LocalIndex> place(n, -1);
  Storage& to = storage_[0];
  LocalIndex* const labels = to.labels.data();
  LocalIndex count = 0, first = 0;
  Index edge = 0;
  std::vector<OrderedPart> pieces;
  const auto finish = [&] {
    Index* const starts = to.starts.data() + 2 * Index{first};
    LocalIndex* const weights = to.weights.data() + first;
    /// Calls visit(u) for the neighbours of the piece's vertex k that are no dense ones.
    const auto neighbours_of = [&](LocalIndex k, const auto& visit) {
      for (const LocalIndex u : graph_.of(labels[first + k])) {
        if (place[u] >= 0) visit(place[u] - first);
      }
    };
    const LocalIndex size = count - first;
    const Blocks blocks(size, std::ssize(graph_.neighbours) / n * size);
    const auto edges_before = blocks.before_each<Index>([&](LocalIndex begin, LocalIndex end) {
      Index edges = 0;
      for (LocalIndex k = begin; k < end; ++k) neighbours_of(k, [&](LocalIndex) { ++edges; });
      return edges;
    });
    const auto weight = blocks.starts<Index>([&](LocalIndex begin, LocalIndex end) {
      Index sum = 0;
      for (LocalIndex k = begin; k < end; ++k) {
        weights[k] = graph_.weight(labels[first + k]);
        sum += weights[k];
      }
      return sum;
    });
    blocks.each([&](int block, LocalIndex begin, LocalIndex end) {
      Index next = edge + edges_before[block];
      for (LocalIndex k = begin; k < end; ++k) {
        starts[k] = next;
        neighbours_of(k, [&](LocalIndex u) { to.neighbours[next++] = u; });
      }
      if (block + 1 == blocks.count()) starts[size] = next;
    });
    edge = starts[size];
    pieces.push_back({{size, starts, to.neighbours.data(), nullptr, weights, weight.back()},
                      labels + first,
                      first});
    first = count;
  };
  LocalIndex last = n;
  for (LocalIndex v = n; v-- > 0;) {
    if (!is_dense(v)) continue;
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
  for (const OrderedPart& piece : pieces) {
#pragma omp task default(shared) firstprivate(piece)
    failure_.catch_from([&] {
      dissect(piece, mix_bits(static_cast<std::uint64_t>(piece.first)), 0, 0, parts_ != nullptr);
    });
  }
}

std::vector<LocalIndex> Dissection::result() {
  failure_.rethrow();
  if (parts_ != nullptr) std::ranges::sort(*parts_, {}, &PlaceRange::first);
  return std::move(order_);
}

}  // namespace

std::vector<LocalIndex> nested_dissection(const Graph& graph, const DissectionOptions& options,
                                          std::vector<PlaceRange>* parts) {
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  Dissection dissection(graph, options, parts);
  // Nobody but the end of the region waits for large pieces of work: a thread that waits for tasks
  // elsewhere is not woken when these lead to new ones.
#pragma omp parallel num_threads(threads)
#pragma omp single
  dissection.run();
  return dissection.result();
}

}  // namespace spsolve::sparse
