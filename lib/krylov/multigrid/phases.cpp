#include <cmath>
#include <complex>

#include "core/worth_threads.hpp"
#include "krylov/multigrid/aggregates.hpp"

namespace spsolve::inline krylov {

namespace {

using Complex = std::complex<double>;

/// The nodes of each aggregate, found in one pass.
struct AggregateNodes {
  explicit AggregateNodes(const Aggregates& aggregates)
      : first(static_cast<std::size_t>(aggregates.count) + 1) {
    for (const LocalIndex number : aggregates.of_node) {
      if (number >= 0) ++first[static_cast<std::size_t>(number) + 1];
    }
    for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
    nodes.resize(static_cast<std::size_t>(first.back()));
    std::vector<Index> next(first.begin(), first.end() - 1);
    for (std::size_t node = 0; node < aggregates.of_node.size(); ++node) {
      const LocalIndex number = aggregates.of_node[node];
      if (number >= 0) nodes[next[number]++] = static_cast<Index>(node);
    }
  }
  std::vector<Index> first, nodes;
};

/// The phases of one aggregate's nodes after another; 0 where they are not found yet.
class Phases {
 public:
  Phases(const BandMatrix& matrix, const Aggregates& aggregates)
      : rows_(matrix.local_rows()), aggregates_(aggregates), phases_(aggregates.of_node.size()) {}

  void find(std::span<const Index> nodes) {
    std::size_t left = nodes.size();
    while (left > 0) {
      const std::size_t before = left;
      for (const Index node : nodes) {
        if (phases_[node] == 0.0 && turn(node)) --left;
      }
      if (left < before) continue;
      // The first one of those that no other leads to.
      for (const Index node : nodes) {
        if (phases_[node] != 0.0) continue;
        phases_[node] = 1;
        --left;
        break;
      }
    }
    constexpr int sweeps = 3;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (const Index node : nodes) turn(node);
    }
  }

  Complex operator[](Index node) const { return phases_[node]; }

 private:
  /// n_i <- the phase of -(sum over the aggregate's other nodes of a_ij n_j); whether there is one.
  bool turn(Index node) {
    const auto columns = rows_.row_columns(complex_parts * node);
    const auto values = rows_.row_values(complex_parts * node);
    Complex sum = 0;
    for (std::size_t k = 0; k < columns.size(); k += complex_parts) {
      const Index other = columns[k] / complex_parts;
      const bool within = other != node && other < std::ssize(aggregates_.of_node) &&
                          aggregates_.of_node[other] == aggregates_.of_node[node];
      if (within) sum -= Complex(values[k], -values[k + 1]) * phases_[other];
    }
    const double size = std::abs(sum);
    if (!(size > 0) || !std::isfinite(size)) return false;
    phases_[node] = sum / size;
    return true;
  }

  const Csr<double>& rows_;
  const Aggregates& aggregates_;
  std::vector<Complex> phases_;
};

}  // namespace

void turn_within_aggregates(const BandMatrix& matrix, const Aggregates& aggregates,
                            NearNullSpace& near) {
  const AggregateNodes of(aggregates);
  Phases phases(matrix, aggregates);
#pragma omp parallel for schedule(static) if (worth_threads(matrix.local_rows().nonzeros()))
  for (Index number = 0; number < aggregates.count; ++number) {
    const std::span<const Index> nodes(of.nodes.data() + of.first[number],
                                       of.nodes.data() + of.first[number + 1]);
    phases.find(nodes);
    for (const Index node : nodes) {
      const Index row = complex_parts * node;
      const Complex n = std::hypot(near.vectors(row, 0), near.vectors(row, 1)) * phases[node];
      near.vectors(row, 0) = near.vectors(row + 1, 1) = n.real();
      near.vectors(row, 1) = -n.imag();
      near.vectors(row + 1, 0) = n.imag();
    }
  }
}

}  // namespace spsolve::krylov
