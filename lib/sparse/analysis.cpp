#include "sparse/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/ranges.h>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "sparse/matching/matching.hpp"

namespace spsolve {

namespace {

std::uint64_t pattern_checksum(const Csr<double>& matrix) {
  Checksum sum;
  sum.add(std::as_bytes(std::span(matrix.row_offsets)));
  sum.add(std::as_bytes(std::span(matrix.column_indices)));
  return sum.value();
}

std::vector<LocalIndex> places(const std::vector<LocalIndex>& order) {
  std::vector<LocalIndex> result(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) result[order[k]] = static_cast<LocalIndex>(k);
  return result;
}

}  // namespace

std::string named_from_one(const std::vector<LocalIndex>& all) {
  constexpr std::size_t most = 10;
  std::vector<LocalIndex> some;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) some.push_back(all[i] + 1);
  return fmt::format("{}{}", fmt::join(some, ", "), all.size() > most ? ", ..." : "");
}

bool has_strong_diagonal(const Csr<double>& matrix) {
  const Index n = matrix.rows;
  std::vector<double> diagonal(n, 0);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < n; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto found = std::lower_bound(columns.begin(), columns.end(), static_cast<LocalIndex>(i));
    if (found != columns.end() && *found == i) {
      diagonal[i] = std::abs(matrix.row_values(i)[found - columns.begin()]);
    }
  }
  bool strong = true;
#pragma omp parallel for schedule(static) reduction(&& : strong)
  for (Index i = 0; i < n; ++i) {
    strong = strong && diagonal[i] > 0;
    for (Index k = matrix.row_offsets[i]; strong && k < matrix.row_offsets[i + 1]; ++k) {
      // Ratios, as squares may overflow.
      const double value = std::abs(matrix.values[k]);
      strong = value / diagonal[i] * (value / diagonal[matrix.column_indices[k]]) <= 1e4;
    }
  }
  return strong;
}

bool SparseAnalysis::serves(const Csr<double>& matrix) const {
  return matrix.rows == rows() && matrix.nonzeros() == nonzeros &&
         pattern_checksum(matrix) == pattern;
}

void SparseAnalysis::count() {
  const bool lu = kind == Factorization::lu;
  factor_entries = 0;
  flops = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const Index p = fronts.pivots(s), m = fronts.border_size(s);
    factor_entries += lu ? p * p + 2 * p * m : p * (p + 1) / 2 + p * m;
    flops += front_flops(fronts, s, !lu);
  }
}

std::int64_t SparseAnalysis::bytes() const {
  constexpr auto index = static_cast<std::int64_t>(sizeof(LocalIndex));
  constexpr auto offset = static_cast<std::int64_t>(sizeof(Index));
  const auto size = [](const auto& values) { return static_cast<std::int64_t>(values.size()); };
  return static_cast<std::int64_t>(sizeof(double)) * 2 * size(row_scale) +
         index * (size(given) + size(order) + size(row_of) + size(fronts.first) +
                  size(fronts.parent) + size(fronts.border) + size(fronts.in_parent) +
                  size(fronts.children) + size(fronts.first_of_subtree)) +
         offset * (size(fronts.border_starts) + size(fronts.child_starts) + size(entries.starts)) +
         static_cast<std::int64_t>(sizeof(FrontEntry)) * size(entries.entries);
}

SparseAnalysis analyse_sparse(const Csr<double>& matrix, Factorization kind, Ordering wanted,
                              bool matches, std::vector<LocalIndex> given) {
  const Timer timer;
  if (matrix.rows > std::numeric_limits<LocalIndex>::max() - 1) {
    fail(ExitCode::resources,
         "the matrix has {} rows, and sparse elimination handles at most 2^31 - 2", matrix.rows);
  }
  SparseAnalysis analysis;
  analysis.kind = kind;
  analysis.pattern = pattern_checksum(matrix);
  analysis.nonzeros = matrix.nonzeros();
  if (kind == Factorization::lu && matches) {
    MaximumProductMatching matching = maximum_product_matching(matrix);
    if (matching.rank < matrix.rows) {
      fail(ExitCode::not_trustworthy,
           "the matrix is structurally singular: its non-zeros match only {} of {} rows with "
           "columns; no pivot is left for rows {} and columns {} (numbered from 1), whatever the "
           "values are",
           matching.rank, matrix.rows, named_from_one(matching.unmatched_rows),
           named_from_one(matching.unmatched_columns));
    }
    analysis.row_scale = std::move(matching.rows);
    analysis.column_scale = std::move(matching.columns);
    const auto& row_of = matching.row_of_column;
    for (std::size_t j = 0; j < row_of.size(); ++j) {
      if (row_of[j] == static_cast<LocalIndex>(j)) continue;
      analysis.row_of = std::move(matching.row_of_column);
      break;
    }
  }
  {
    Graph graph = graph_of(matrix.row_offsets, matrix.column_indices, analysis.row_of);
    const CompressedGraph compressed =
        wanted == Ordering::file ? uncompressed(std::move(graph)) : compress(graph);
    OrderedGraph ordered = order_graph(compressed.graph, wanted, given);
    analysis.given = std::move(given);
    analysis.ordering = ordered.ordering;
    analysis.order = std::move(ordered.order);
    analysis.fronts = fronts_of(compressed, analysis.order);
  }
  const std::vector<LocalIndex> column_place = places(analysis.order);
  std::vector<LocalIndex> row_place = column_place;
  for (std::size_t j = 0; j < analysis.row_of.size(); ++j) {
    row_place[analysis.row_of[j]] = column_place[j];
  }
  analysis.entries = front_entries(analysis.fronts, matrix.row_offsets, matrix.column_indices,
                                   row_place, column_place, kind);
  analysis.count();
  analysis.seconds = timer.seconds();
  return analysis;
}

}  // namespace spsolve
