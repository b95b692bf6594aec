#include "krylov/multigrid/aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "krylov/multigrid/row_chunks.hpp"

namespace spsolve {

bool own_are_nodes(const BandMatrix& matrix, Index size) {
  const Csr<double>& rows = matrix.local_rows();
  if (rows.rows % size != 0 || matrix.own_rows().first % size != 0) return false;
  bool whole = true;
#pragma omp parallel for schedule(static) reduction(&& : whole)
  for (Index node = 0; node < rows.rows / size; ++node) {
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
    whole = whole && mine;
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

/// Adds up the squares of the entries of a node's rows by neighbour.
class NodeSums {
 public:
  explicit NodeSums(Index nodes)
      : sums_(static_cast<std::size_t>(nodes)), met_(static_cast<std::size_t>(nodes), -1) {}

  const std::vector<LocalIndex>& take(const Csr<double>& rows, Index node, Index size) {
    found_.clear();
    for (Index i = node * size; i < (node + 1) * size; ++i) {
      const auto columns = rows.row_columns(i);
      const auto values = rows.row_values(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto other = static_cast<LocalIndex>(columns[k] / size);
        if (met_[other] != node) {
          met_[other] = node;
          sums_[other] = 0;
          found_.push_back(other);
        }
        sums_[other] += values[k] * values[k];
      }
    }
    return found_;
  }
  double square(LocalIndex other) const { return sums_[other]; }

 private:
  std::vector<double> sums_;
  std::vector<Index> met_;
  std::vector<LocalIndex> found_;
};

}  // namespace

Index nodes_of(const BandMatrix& matrix) {
  constexpr Index most_of_node = 6;
  Index best = 1;
  for (Index size = 2; size <= most_of_node; ++size) {
    if (are_nodes(matrix, size)) best = size;
  }
  return best;
}

std::vector<double> node_diagonals(const BandMatrix& matrix, Index size) {
  const Csr<double>& rows = matrix.local_rows();
  Dense<double> own(rows.rows, 1);
#pragma omp parallel for schedule(static)
  for (Index node = 0; node < rows.rows / size; ++node) {
    double sum = 0;
    for (Index i = node * size; i < (node + 1) * size; ++i) {
      const auto columns = rows.row_columns(i);
      const auto values = rows.row_values(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (columns[k] / size == node) sum += values[k] * values[k];
      }
    }
    for (Index i = node * size; i < (node + 1) * size; ++i) own(i, 0) = std::sqrt(sum);
  }
  const Dense<double> halo = matrix.halo().fetch(own);
  const Index nodes = own.rows / size, all = nodes + halo.rows / size;
  std::vector<double> diagonals(static_cast<std::size_t>(all));
#pragma omp parallel for schedule(static)
  for (Index node = 0; node < all; ++node) {
    diagonals[node] = node < nodes ? own(node * size, 0) : halo((node - nodes) * size, 0);
  }
  return diagonals;
}

namespace {

/// Appends the strong neighbours of one node after the other.
class StrongCouplings {
 public:
  StrongCouplings(const Csr<double>& rows, Index size, double theta,
                  const std::vector<double>& diagonals)
      : rows_(rows),
        size_(size),
        theta_(theta),
        diagonals_(diagonals),
        sums_(static_cast<Index>(diagonals.size())) {}

  void operator()(Index node, RowChunk& chunk) {
    for (const LocalIndex other : sums_.take(rows_, node, size_)) {
      const double least = theta_ * theta_ * diagonals_[node] * diagonals_[other];
      if (other != node && sums_.square(other) > least) chunk.columns.push_back(other);
    }
  }

 private:
  const Csr<double>& rows_;
  Index size_;
  double theta_;
  const std::vector<double>& diagonals_;
  NodeSums sums_;
};

/// Appends one row of A_F after the other.
class FilteredRows {
 public:
  FilteredRows(const Csr<double>& rows, Index size, const NodeGraph& strong)
      : rows_(rows),
        size_(size),
        strong_(strong),
        kept_(static_cast<std::size_t>(rows.columns / size), -1) {}

  void operator()(Index i, RowChunk& chunk) {
    const Index node = i / size_;
    kept_[node] = node;
    for (Index k = strong_.offsets[node]; k < strong_.offsets[node + 1]; ++k) {
      kept_[strong_.neighbours[k]] = node;
    }
    const auto columns = rows_.row_columns(i);
    const auto values = rows_.row_values(i);
    double dropped = 0;
    std::optional<std::size_t> diagonal;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (kept_[columns[k] / size_] != node) {
        // Between unknowns of the same kind: the others do not act on that kind's constants.
        if (columns[k] % size_ == i % size_) dropped += values[k];
        continue;
      }
      if (columns[k] == i) diagonal = chunk.values.size();
      chunk.columns.push_back(columns[k]);
      chunk.values.push_back(values[k]);
    }
    if (diagonal) chunk.values[*diagonal] += dropped;
  }

 private:
  const Csr<double>& rows_;
  Index size_;
  const NodeGraph& strong_;
  std::vector<Index> kept_;  // the last node that the neighbour is kept by
};

}  // namespace

NodeGraph strong_couplings(const BandMatrix& matrix, Index size, double theta,
                           const std::vector<double>& diagonals) {
  const Csr<double>& rows = matrix.local_rows();
  const Index nodes = rows.rows / size;
  Csr<double> graph = made_of_rows(nodes, rows.columns / size,
                                   [&] { return StrongCouplings(rows, size, theta, diagonals); });
  return {nodes, std::move(graph.row_offsets), std::move(graph.column_indices)};
}

Csr<double> filtered_rows(const BandMatrix& matrix, Index size, const NodeGraph& strong) {
  const Csr<double>& rows = matrix.local_rows();
  return made_of_rows(rows.rows, rows.columns, [&] { return FilteredRows(rows, size, strong); });
}

Aggregates aggregate(const NodeGraph& strong) {
  constexpr LocalIndex free = -2, none = -1;
  Aggregates result;
  result.of_node.assign(static_cast<std::size_t>(strong.nodes), free);
  const auto neighbours = [&](Index node) {
    return std::span(strong.neighbours)
        .subspan(static_cast<std::size_t>(strong.offsets[node]),
                 static_cast<std::size_t>(strong.offsets[node + 1] - strong.offsets[node]));
  };
  const auto is_free = [&](LocalIndex node) { return result.of_node[node] == free; };
  const auto found = [&](Index node) {
    const auto number = static_cast<LocalIndex>(result.count++);
    result.of_node[node] = number;
    for (const LocalIndex other : neighbours(node)) {
      if (other < strong.nodes && is_free(other)) result.of_node[other] = number;
    }
  };
  for (Index node = 0; node < strong.nodes; ++node) {
    if (neighbours(node).empty()) result.of_node[node] = none;
  }
  for (Index node = 0; node < strong.nodes; ++node) {
    if (!is_free(static_cast<LocalIndex>(node))) continue;
    const bool all_free = std::ranges::all_of(neighbours(node), [&](LocalIndex other) {
      return other >= strong.nodes || is_free(other);
    });
    if (all_free) found(node);
  }
  const std::vector<LocalIndex> first_pass = result.of_node;
  for (Index node = 0; node < strong.nodes; ++node) {
    if (!is_free(static_cast<LocalIndex>(node))) continue;
    for (const LocalIndex other : neighbours(node)) {
      if (other < strong.nodes && first_pass[other] >= 0) {
        result.of_node[node] = first_pass[other];
        break;
      }
    }
  }
  for (Index node = 0; node < strong.nodes; ++node) {
    if (is_free(static_cast<LocalIndex>(node))) found(node);
  }
  return result;
}

}  // namespace spsolve
