#include "krylov/multigrid/aggregates.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/over_blocks.hpp"
#include "core/resize_in_threads.hpp"
#include "krylov/multigrid/bounds.hpp"
#include "matrix/made_of_rows.hpp"

namespace spsolve::inline krylov {

bool own_are_nodes(const BandMatrix& matrix, Index size) {
  const Csr<double>& rows = matrix.local_rows();
  if (rows.rows % size != 0 || matrix.own_rows().first % size != 0) return false;
  std::atomic<bool> whole = true;  // read by all threads, which look at nothing more once it isn't
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index node = 0; node < rows.rows / size; ++node) {
    if (!whole.load(std::memory_order_relaxed)) continue;
    const auto columns = rows.row_columns(node * size);
    bool mine = columns.size() % static_cast<std::size_t>(size) == 0;
    for (std::size_t k = 0; mine && k < columns.size(); ++k) {
      const Index first = matrix.global_column(columns[k - k % static_cast<std::size_t>(size)]);
      mine =
          first % size == 0 && matrix.global_column(columns[k]) ==
                                   first + static_cast<Index>(k % static_cast<std::size_t>(size));
    }
    for (Index i = 1; mine && i < size; ++i) {
      mine = std::ranges::equal(columns, rows.row_columns(node * size + i));
    }
    if (!mine) whole.store(false, std::memory_order_relaxed);
  }
  return whole;
}

bool are_nodes(const BandMatrix& matrix, Index size) {
  return all_sum(matrix.team(), own_are_nodes(matrix, size) ? 0 : 1) == 0;
}

namespace {

/// Appends one row after the other with all unknowns of the nodes that its node's rows name;
/// columns global.
class WholeNodeRows {
 public:
  WholeNodeRows(const BandMatrix& matrix, Index size) : matrix_(matrix), size_(size) {}

  void operator()(Index i, RowChunk& chunk) {
    const Csr<double>& rows = matrix_.local_rows();
    nodes_.clear();
    const Index first = i - i % size_;
    for (Index row = first; row < first + size_; ++row) {
      for (const LocalIndex j : rows.row_columns(row)) {
        nodes_.push_back(matrix_.global_column(j) / size_);
      }
    }
    std::ranges::sort(nodes_);
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    const std::size_t before = chunk.values.size();
    for (const Index node : nodes_) {
      for (Index k = 0; k < size_; ++k) {
        chunk.columns.push_back(static_cast<LocalIndex>(node * size_ + k));
        chunk.values.push_back(0);
      }
    }
    const auto columns = rows.row_columns(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index column = matrix_.global_column(columns[k]);
      const auto node = std::ranges::lower_bound(nodes_, column / size_) - nodes_.begin();
      chunk.values[before + static_cast<std::size_t>(node * size_ + column % size_)] =
          rows.row_values(i)[k];
    }
  }

 private:
  const BandMatrix& matrix_;
  Index size_;
  std::vector<Index> nodes_;
};

}  // namespace

std::unique_ptr<BandMatrix> with_whole_nodes(const BandMatrix& matrix, Index size) {
  Team& team = matrix.team();
  Csr<double> rows = together(team, [&] {
    const Range own = matrix.own_rows();
    if (own.first % size != 0 || own.last % size != 0) {
      fail(ExitCode::internal, "rows {} to {} are no whole nodes of {} unknowns", own.first,
           own.last, size);
    }
    return made_of_rows(own.size(), matrix.row_layout().rows,
                        [&] { return WholeNodeRows(matrix, size); });
  });
  return std::make_unique<BandMatrix>(team, matrix.row_layout(), matrix.column_layout(),
                                      std::move(rows), matrix.memory());
}

namespace {

/// Appends ||A_ij||_F of one node after the other, by neighbour, itself included.
class BlockNorms {
 public:
  BlockNorms(const Csr<double>& rows, Index size)
      : rows_(rows),
        size_(size),
        sums_(static_cast<std::size_t>(rows.columns / size)),
        met_(sums_.size(), -1) {}

  void operator()(Index node, RowChunk& chunk) {
    const std::size_t before = chunk.columns.size();
    for (Index i = node * size_; i < (node + 1) * size_; ++i) {
      const auto columns = rows_.row_columns(i);
      const auto values = rows_.row_values(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto other = static_cast<LocalIndex>(columns[k] / size_);
        if (met_[other] != node) {
          met_[other] = node;
          sums_[other] = 0;
          chunk.columns.push_back(other);
        }
        sums_[other] += values[k] * values[k];
      }
    }
    for (std::size_t k = before; k < chunk.columns.size(); ++k) {
      chunk.values.push_back(std::sqrt(sums_[chunk.columns[k]]));
    }
  }

 private:
  const Csr<double>& rows_;
  Index size_;
  std::vector<double> sums_;
  std::vector<Index> met_;
};

}  // namespace

Index nodes_of(const BandMatrix& matrix, Index step) {
  Index best = step;
  for (Index size = step == 1 ? 2 : 2 * step; size <= most_unknowns_of_node; size += step) {
    if (are_nodes(matrix, size)) best = size;
  }
  return best;
}

namespace {

/// ||A_ii||_F and max over j != i of ||A_ij||_F, of own nodes and then of those of the halo.
struct NodeNorms {
  std::vector<double> diagonals, largest;
};

/// `blocks` are the ||A_ij||_F of own nodes, or the a_ij where nodes are single rows. Collective.
NodeNorms node_norms(const BandMatrix& matrix, Index size, const Csr<double>& blocks) {
  const Index nodes = blocks.rows;
  Dense<double> own(nodes * size, 2);
#pragma omp parallel for schedule(static) if (worth_threads(blocks.nonzeros()))
  for (Index node = 0; node < nodes; ++node) {
    double diagonal = 0, largest = 0;
    for (Index k = blocks.row_offsets[node]; k < blocks.row_offsets[node + 1]; ++k) {
      const double norm = std::abs(blocks.values[k]);
      if (blocks.column_indices[k] == node) {
        diagonal = norm;
      } else {
        largest = std::max(largest, norm);
      }
    }
    for (Index i = node * size; i < (node + 1) * size; ++i) {
      own(i, 0) = diagonal;
      own(i, 1) = largest;
    }
  }
  const Dense<double> halo = matrix.halo().fetch(own);
  const Index all = nodes + halo.rows / size;
  NodeNorms norms;
  norms.diagonals.resize(static_cast<std::size_t>(all));
  norms.largest.resize(static_cast<std::size_t>(all));
#pragma omp parallel for schedule(static) if (worth_threads(all))
  for (Index node = 0; node < all; ++node) {
    const double* row = node < nodes ? own.row(node * size) : halo.row((node - nodes) * size);
    norms.diagonals[node] = row[0];
    norms.largest[node] = row[1];
  }
  return norms;
}

/// The neighbours in `places` at offsets of their own, `counts` for each node, one after the other.
NodeGraph packed(const Csr<double>& blocks, const UntouchedVector<LocalIndex>& places,
                 UntouchedVector<Index> counts) {
  NodeGraph graph;
  graph.nodes = blocks.rows;
  graph.offsets = std::move(counts);
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  graph.neighbours.resize(static_cast<std::size_t>(graph.offsets.back()));
#pragma omp parallel for schedule(static) if (worth_threads(blocks.nonzeros()))
  for (Index node = 0; node < graph.nodes; ++node) {
    std::copy_n(places.begin() + blocks.row_offsets[node],
                graph.offsets[node + 1] - graph.offsets[node],
                graph.neighbours.begin() + graph.offsets[node]);
  }
  return graph;
}

}  // namespace

NodeConnections connections(const BandMatrix& matrix, Index size, double theta) {
  const Csr<double>& rows = matrix.local_rows();
  const Csr<double> made = together(matrix.team(), [&] {
    if (size == 1) return Csr<double>();
    return made_of_rows(rows.rows / size, rows.columns / size,
                        [&] { return BlockNorms(rows, size); });
  });
  const Csr<double>& blocks = size == 1 ? rows : made;
  const NodeNorms norms = node_norms(matrix, size, blocks);
  return together(matrix.team(), [&] {
    const auto nodes = static_cast<std::size_t>(blocks.rows);
    UntouchedVector<LocalIndex> dependences(static_cast<std::size_t>(blocks.nonzeros())),
        strong(dependences.size());
    UntouchedVector<Index> depending(nodes + 1), joining(nodes + 1);
    depending[0] = joining[0] = 0;
#pragma omp parallel for schedule(static) if (worth_threads(blocks.nonzeros()))
    for (Index node = 0; node < blocks.rows; ++node) {
      const double least = coarsening_bounds::share * norms.largest[node],
                   d = norms.diagonals[node];
      const Index first = blocks.row_offsets[node];
      Index count = 0, joined = 0;
      for (Index k = first; k < blocks.row_offsets[node + 1]; ++k) {
        const LocalIndex other = blocks.column_indices[k];
        const double norm = std::abs(blocks.values[k]);
        if (norm < least || other == node) continue;
        const double of_other = norms.diagonals[other], square = norm * norm;
        if (!(square > theta * theta * d * std::min(d, of_other))) continue;
        dependences[first + count++] = other;
        const bool both = square > theta * theta * d * of_other &&
                          norm >= coarsening_bounds::share * norms.largest[other];
        if (both) strong[first + joined++] = other;
      }
      depending[node + 1] = count;
      joining[node + 1] = joined;
    }
    return NodeConnections{packed(blocks, dependences, std::move(depending)),
                           packed(blocks, strong, std::move(joining))};
  });
}

std::vector<double> lone_entries(const BandMatrix& matrix, const NearNullSpace& near,
                                 NodeNumbers numbers) {
  const Dense<double>& vectors = near.vectors;
  Dense<double> own(matrix.local_rows().rows, 1);
#pragma omp parallel for schedule(static) if (worth_threads(own.rows))
  for (Index i = 0; i < own.rows; ++i) {
    if (numbers == NodeNumbers::turned) {
      own(i, 0) = std::hypot(vectors(i, 0), vectors(i, 1));
      continue;
    }
    const Index kind = i % near.size;
    bool lone = kind < vectors.columns;
    const double entry = lone ? std::abs(vectors(i, kind)) : 0.0;
    for (Index c = 0; lone && c < vectors.columns; ++c) {
      lone = c == kind || std::abs(vectors(i, c)) <= coarsening_bounds::negligible * entry;
    }
    if (lone) own(i, 0) = vectors(i, kind);
  }
  std::vector<double> result(own.values.begin(), own.values.end());
  const Dense<double> halo = matrix.halo().fetch(own);
  result.insert(result.end(), halo.values.begin(), halo.values.end());
  return result;
}

std::vector<bool> led_nodes(const BandMatrix& matrix, const NodeKind& kind,
                            const NodeGraph& dependences, const Aggregates& aggregates) {
  const Csr<double>& rows = matrix.local_rows();
  const Index size = kind.size;
  const auto step = static_cast<std::size_t>(kind.step());
  std::vector<bool> led(aggregates.of_node.size());
  for (Index node = 0; node < static_cast<Index>(led.size()); ++node) {
    const bool depends = dependences.offsets[node] != dependences.offsets[node + 1];
    if (aggregates.of_node[node] >= 0 || !depends) continue;
    for (Index i = node * size; i < (node + 1) * size; i += kind.step()) {
      double diagonal = 0, beside = 0;
      const auto columns = rows.row_columns(i);
      const auto values = rows.row_values(i);
      for (std::size_t k = 0; k < columns.size(); k += step) {
        const double modulus =
            kind.pairs() ? std::hypot(values[k], values[k + 1]) : std::abs(values[k]);
        if (columns[k] == i) diagonal = modulus;
        if (columns[k] / size != node && columns[k] % size == i % size) beside += modulus;
      }
      if (beside > coarsening_bounds::dominance * diagonal) led[node] = true;
    }
  }
  return led;
}

Aggregates aggregate(const NodeGraph& strong) {
  constexpr LocalIndex free = -2, none = -1;
  const Index nodes = strong.nodes;
  Aggregates result;
  std::vector<LocalIndex>& of_node = result.of_node;
  const auto neighbours = [&](Index node) {
    return std::span(strong.neighbours.data() + strong.offsets[node],
                     strong.neighbours.data() + strong.offsets[node + 1]);
  };
  const auto is_free = [&](LocalIndex node) { return of_node[node] == free; };
  const auto found = [&](Index node) {
    const auto number = static_cast<LocalIndex>(result.count++);
    of_node[node] = number;
    for (const LocalIndex other : neighbours(node)) {
      if (other < nodes && is_free(other)) of_node[other] = number;
    }
  };
  resize_in_threads(of_node, static_cast<std::size_t>(nodes));
#pragma omp parallel for schedule(static) if (worth_threads(nodes, elements_worth_waking))
  for (Index node = 0; node < nodes; ++node) of_node[node] = neighbours(node).empty() ? none : free;
  for (Index node = 0; node < nodes; ++node) {
    if (!is_free(static_cast<LocalIndex>(node))) continue;
    const bool all_free = std::ranges::all_of(
        neighbours(node), [&](LocalIndex other) { return other >= nodes || is_free(other); });
    if (all_free) found(node);
  }
  UntouchedVector<LocalIndex> first_pass(of_node.size());
  Index left = 0;
#pragma omp parallel if (worth_threads(nodes, elements_worth_waking))
  {
#pragma omp for schedule(static)
    for (Index node = 0; node < nodes; ++node) first_pass[node] = of_node[node];
#pragma omp for schedule(static) reduction(+ : left)
    for (Index node = 0; node < nodes; ++node) {
      if (first_pass[node] != free) continue;
      for (const LocalIndex other : neighbours(node)) {
        if (other >= nodes || first_pass[other] < 0) continue;
        of_node[node] = first_pass[other];
        break;
      }
      left += is_free(static_cast<LocalIndex>(node));
    }
  }
  for (Index node = 0; left > 0 && node < nodes; ++node) {
    if (is_free(static_cast<LocalIndex>(node))) found(node);
  }
  return result;
}

}  // namespace spsolve::krylov
