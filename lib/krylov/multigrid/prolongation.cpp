#include "krylov/multigrid/prolongation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "core/worth_threads.hpp"
#include "distribute/halo/fetch_rows.hpp"
#include "krylov/multigrid/bounds.hpp"
#include "krylov/multigrid/filtered_rows.hpp"
#include "krylov/multigrid/paired_rows.hpp"
#include "krylov/multigrid/sparse_product.hpp"
#include "matrix/made_of_rows.hpp"
#include "team/reduce.hpp"

namespace spsolve::inline krylov {

namespace {

/// Own nodes by aggregate.
struct Members {
  std::vector<Index> first;
  std::vector<LocalIndex> nodes;
};

Members members_of(const Aggregates& aggregates) {
  Members members;
  members.first.assign(static_cast<std::size_t>(aggregates.count) + 1, 0);
  for (const LocalIndex number : aggregates.of_node) {
    if (number >= 0) ++members.first[number + 1];
  }
  std::partial_sum(members.first.begin(), members.first.end(), members.first.begin());
  members.nodes.resize(static_cast<std::size_t>(members.first.back()));
  std::vector<Index> next(members.first.begin(), members.first.end() - 1);
  for (std::size_t node = 0; node < aggregates.of_node.size(); ++node) {
    const LocalIndex number = aggregates.of_node[node];
    if (number >= 0) members.nodes[next[number]++] = static_cast<LocalIndex>(node);
  }
  return members;
}

/// block (rows x m) = Q R by modified Gram-Schmidt, twice: block <- Q, r <- R. A column that
/// depends on those before it gets zeros.
void orthogonalise(Dense<double>& block, Dense<double>& r) {
  const Index m = block.columns;
  r = Dense<double>(m, m);
  for (Index j = 0; j < m; ++j) {
    const auto length = [&] {
      double sum = 0;
      for (Index i = 0; i < block.rows; ++i) sum += block(i, j) * block(i, j);
      return std::sqrt(sum);
    };
    const double before = length();
    for (int pass = 0; pass < 2; ++pass) {
      for (Index k = 0; k < j; ++k) {
        double along = 0;
        for (Index i = 0; i < block.rows; ++i) along += block(i, k) * block(i, j);
        for (Index i = 0; i < block.rows; ++i) block(i, j) -= along * block(i, k);
        r(k, j) += along;
      }
    }
    const double after = length();
    const bool independent = after > coarsening_bounds::dependent * before && after > 0;
    r(j, j) = independent ? after : 0.0;
    for (Index i = 0; i < block.rows; ++i) {
      block(i, j) = independent ? block(i, j) / after : 0.0;
    }
  }
}

}  // namespace

Tentative tentative_prolongation(const BandMatrix& matrix, const Aggregates& aggregates,
                                 const NearNullSpace& near) {
  Team& team = matrix.team();
  const Dense<double>& null_space = near.vectors;
  const Index m = null_space.columns, size = near.size;
  Tentative result;
  result.coarse = bands_of_heights(team, aggregates.count * m);
  together(team, [&] {
    const Index first_column = result.coarse.band(team.rank()).first;
    const Members members = members_of(aggregates);
    result.null_space = Dense<double>(aggregates.count * m, m);
    Csr<double>& rows = result.rows;
    rows.rows = matrix.local_rows().rows;
    rows.columns = result.coarse.rows;
    rows.row_offsets.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
    for (Index i = 0; i < rows.rows; ++i) {
      const bool taken = aggregates.of_node[i / size] >= 0;
      rows.row_offsets[i + 1] = rows.row_offsets[i] + (taken ? m : 0);
    }
    rows.column_indices.resize(static_cast<std::size_t>(rows.nonzeros()));
    rows.values.resize(static_cast<std::size_t>(rows.nonzeros()));
#pragma omp parallel for schedule(static) if (worth_threads(std::ssize(members.first)))
    for (Index number = 0; number < aggregates.count; ++number) {
      const Index first = members.first[number];
      const Index nodes = members.first[number + 1] - first;
      Dense<double> block(nodes * size, m), r;
      for (Index k = 0; k < block.rows; ++k) {
        std::copy_n(null_space.row(members.nodes[first + k / size] * size + k % size), m,
                    block.row(k));
      }
      orthogonalise(block, r);
      for (Index k = 0; k < block.rows; ++k) {
        const Index row = members.nodes[first + k / size] * size + k % size;
        for (Index j = 0; j < m; ++j) {
          rows.column_indices[rows.row_offsets[row] + j] =
              static_cast<LocalIndex>(first_column + number * m + j);
          rows.values[rows.row_offsets[row] + j] = block(k, j);
        }
      }
      for (Index k = 0; k < m; ++k) std::copy_n(r.row(k), m, result.null_space.row(number * m + k));
    }
  });
  return result;
}

namespace {

/// Appends one row of the weights after the other: 1 for a node that stays as it is.
class Weights {
 public:
  Weights(const Csr<double>& rows, const NodeKind& kind, const NodeGraph& dependences,
          const std::vector<bool>& led, const std::vector<double>& lone, const Csr<double>& own,
          const Csr<double>& halo)
      : rows_(rows),
        kind_(kind),
        dependences_(dependences),
        led_(led),
        lone_(lone),
        own_(own),
        halo_(halo) {}

  void operator()(Index i, RowChunk& chunk) {
    const Index size = kind_.size, node = i / size;
    if (!led_[node]) return append(static_cast<LocalIndex>(i), 1, chunk);
    const auto first = dependences_.neighbours.begin() + dependences_.offsets[node];
    const auto last = dependences_.neighbours.begin() + dependences_.offsets[node + 1];
    const auto columns = rows_.row_columns(i);
    const auto values = rows_.row_values(i);
    const std::size_t before = chunk.values.size();
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); k += static_cast<std::size_t>(kind_.step())) {
      const LocalIndex j = columns[k];
      const bool same_kind = j / size != node && j % size == i % size;
      if (!same_kind || !has_row(j) || std::find(first, last, j / size) == last) continue;
      const bool turned = kind_.numbers == NodeNumbers::turned;
      const std::complex<double> weight =
          turned ? std::complex<double>(-values[k], values[k + 1]) : std::max(0.0, -values[k]);
      sum += std::abs(weight) * entry(j);
      append(j, weight * entry(i), chunk);
    }
    for (std::size_t k = before; k < chunk.values.size(); ++k) {
      chunk.values[k] = sum != 0 ? chunk.values[k] / sum : 0;
    }
  }

 private:
  void append(LocalIndex j, std::complex<double> weight, RowChunk& chunk) const {
    chunk.columns.push_back(j);
    chunk.values.push_back(weight.real());
    if (!kind_.pairs()) return;
    chunk.columns.push_back(j + 1);
    chunk.values.push_back(-weight.imag());
  }
  bool has_row(Index j) const {
    const bool mine = j < own_.rows;
    const Csr<double>& from = mine ? own_ : halo_;
    const Index row = mine ? j : j - own_.rows;
    return from.row_offsets[row] != from.row_offsets[row + 1];
  }
  double entry(Index i) const { return lone_[i] != 0 ? lone_[i] : 1.0; }

  const Csr<double>& rows_;
  NodeKind kind_;
  const NodeGraph& dependences_;
  const std::vector<bool>& led_;
  const std::vector<double>& lone_;
  const Csr<double>& own_;
  const Csr<double>& halo_;
};

}  // namespace

void interpolate_led_nodes(const BandMatrix& matrix, const NodeKind& kind,
                           const NodeGraph& dependences, const std::vector<bool>& led,
                           const std::vector<double>& lone, Tentative& tentative) {
  Team& team = matrix.team();
  const bool any = std::find(led.begin(), led.end(), true) != led.end();
  if (all_sum(team, any ? 1 : 0) == 0) return;
  const Csr<double> halo = fetch_rows(team, matrix.halo().plan(), tentative.rows);
  tentative.rows = together(team, [&] {
    const Csr<double>& rows = matrix.local_rows();
    const Csr<double> weights = made_of_numbers(rows.rows, rows.columns, kind.pairs(), [&] {
      return Weights(rows, kind, dependences, led, lone, tentative.rows, halo);
    });
    return sparse_product(weights,
                          RightFactor(tentative.rows, halo, tentative.coarse.band(team.rank()),
                                      tentative.null_space.columns, kind.pairs()));
  });
}

namespace {

/// Appends one row of (I - omega D_F^-1 A_F) P_0 after the other.
template <int Run>
class SmoothedRows {
 public:
  SmoothedRows(const FilteredRows& filtered, double omega, const RightFactor& tentative)
      : filtered_(filtered), omega_(omega), sum_(tentative, ColumnOrder::ascending) {}

  void operator()(Index i, RowChunk& chunk) {
    row_.columns.clear();
    row_.values.clear();
    filtered_(i, row_);
    smooth(i);
    sum_(i, row_.columns, row_.values, chunk);
  }

 private:
  /// Row i of I - omega D_F^-1 A_F in its place: all own rows have a diagonal entry or stay zero.
  void smooth(Index i) {
    if (filtered_.kind().pairs()) return smooth_pairs(i);
    double diagonal = 0;
    for (std::size_t k = 0; k < row_.values.size(); ++k) {
      if (row_.columns[k] == i) diagonal = row_.values[k];
    }
    for (std::size_t k = 0; k < row_.values.size(); ++k) {
      const bool here = row_.columns[k] == i;
      const double scaled = diagonal != 0 ? omega_ / diagonal * row_.values[k] : 0.0;
      row_.values[k] = (here ? 1.0 : 0.0) - scaled;
    }
  }

  /// The row of real parts of a complex one.
  void smooth_pairs(Index i) {
    std::complex<double> diagonal = 0;
    const auto number = [&](std::size_t k) {
      return std::complex<double>(row_.values[k], -row_.values[k + 1]);
    };
    for (std::size_t k = 0; k < row_.values.size(); k += complex_parts) {
      if (row_.columns[k] == i) diagonal = number(k);
    }
    const std::complex<double> factor = diagonal != 0.0 ? omega_ / diagonal : 0.0;
    for (std::size_t k = 0; k < row_.values.size(); k += complex_parts) {
      const bool here = row_.columns[k] == i;
      const std::complex<double> smoothed = (here ? 1.0 : 0.0) - factor * number(k);
      row_.values[k] = smoothed.real();
      row_.values[k + 1] = -smoothed.imag();
    }
  }

  const FilteredRows& filtered_;
  double omega_;
  RowSum<Run> sum_;
  RowChunk row_;  // of what P_0 is multiplied with
};

}  // namespace

Csr<double> smoothed_prolongation(const BandMatrix& matrix, const NodeKind& kind,
                                  const NodeGraph& dependences, const std::vector<double>& lone,
                                  double omega, const Tentative& tentative) {
  Team& team = matrix.team();
  const Csr<double> halo = fetch_rows(team, matrix.halo().plan(), tentative.rows);
  return together(team, [&] {
    const Csr<double>& rows = matrix.local_rows();
    const FilteredRows filtered(rows, kind, dependences, lone);
    const RightFactor right(tentative.rows, halo, tentative.coarse.band(team.rank()),
                            tentative.null_space.columns);
    return with_run_of(right, [&](auto run) {
      return made_of_numbers(rows.rows, tentative.rows.columns, kind.pairs(),
                             [&] { return SmoothedRows<run>(filtered, omega, right); });
    });
  });
}

}  // namespace spsolve::krylov
