#include "sparse/analysis/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/ranges.h>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "core/timer.hpp"
#include "core/worth_threads.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/dissection/dissection.hpp"
#include "sparse/fronts/schedule.hpp"
#include "sparse/matching/block_triangular_form.hpp"
#include "sparse/matching/matching.hpp"
#include "sparse/matching/permutation.hpp"
#include "sparse/matching/symmetric_pairs.hpp"

namespace spsolve::inline sparse {

namespace {

std::uint64_t pattern_checksum(const Csr<double>& matrix) {
  const std::uint64_t sums[] = {
      checksum_of_blocks(std::as_bytes(std::span(matrix.row_offsets))),
      checksum_of_blocks(std::as_bytes(std::span(matrix.column_indices)))};
  return checksum(std::as_bytes(std::span(sums)));
}

/// |a_ii|, 0 where it is not stored.
std::vector<double> diagonal_magnitudes(const Csr<double>& matrix) {
  std::vector<double> diagonal(matrix.rows, 0);
#pragma omp parallel for schedule(static) if (worth_threads(matrix.nonzeros()))
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto found = std::lower_bound(columns.begin(), columns.end(), static_cast<LocalIndex>(i));
    if (found != columns.end() && *found == i) {
      diagonal[i] = std::abs(matrix.row_values(i)[found - columns.begin()]);
    }
  }
  return diagonal;
}

void refuse_structurally_singular(const Csr<double>& matrix,
                                  const MaximumProductMatching& matching) {
  if (matching.rank == matrix.rows) return;
  fail(ExitCode::not_trustworthy,
       "the matrix is structurally singular: its non-zeros match only {} of {} rows with columns, "
       "whatever their values are: {} (numbered from 1)",
       RowNames::count(matching.rank), RowNames::count(matrix.rows),
       in_words(structural_defect(matrix, matching.row_of_column, matching.unmatched_rows,
                                  matching.unmatched_columns)));
}

/// Matches rows with columns; hands back the row that each is to stay together with, empty where
/// none is.
std::vector<LocalIndex> match_rows(const Csr<double>& matrix, RowMatching wanted,
                                   SparseAnalysis& analysis) {
  const bool lu = analysis.kind == Factorization::lu;
  if (wanted == RowMatching::rows && !lu) {
    refuse_structurally_singular(matrix, maximum_matching(matrix));
    return {};
  }
  MaximumProductMatching matching = maximum_product_matching(matrix);
  refuse_structurally_singular(matrix, matching);
  if (wanted == RowMatching::pairs) {
    SymmetricPairs pairs = symmetric_pairs(matrix, matching);
    analysis.row_scale = analysis.column_scale = std::move(pairs.scale);
    analysis.pairs = pairs.count;
    return std::move(pairs.mate);
  }
  analysis.row_scale = std::move(matching.rows);
  analysis.column_scale = std::move(matching.columns);
  const auto& row_of = matching.row_of_column;
  for (std::size_t j = 0; j < row_of.size(); ++j) {
    if (row_of[j] == static_cast<LocalIndex>(j)) continue;
    analysis.row_of = std::move(matching.row_of_column);
    break;
  }
  return {};
}

/// The graph that is ordered, whose vertices stand for unknowns that stay together.
CompressedGraph compressed_graph(Graph graph, Ordering wanted, std::vector<LocalIndex> mate) {
  if (wanted == Ordering::file) return uncompressed(std::move(graph));
  if (!mate.empty()) return compress_pairs(graph, std::move(mate));
  return compress(std::move(graph));
}

}  // namespace

RowMatching wanted_matching(const Csr<double>& matrix, Factorization kind, AutoSwitch wanted) {
  if (kind == Factorization::cholesky) return RowMatching::none;
  const bool lu = kind == Factorization::lu;
  if (wanted == AutoSwitch::on) return lu ? RowMatching::rows : RowMatching::pairs;
  if (lu && wanted == AutoSwitch::off) return RowMatching::none;
  const bool weak =
      lu ? !has_strong_diagonal(matrix) : std::ranges::count(diagonal_magnitudes(matrix), 0.0) > 0;
  return weak ? RowMatching::rows : RowMatching::none;
}

std::string named_from_one(const std::vector<LocalIndex>& rows) {
  const std::vector<LocalIndex> all = RowNames::told_once(rows);
  constexpr std::size_t most = 10;
  std::vector<LocalIndex> some;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) some.push_back(all[i] + 1);
  return fmt::format("{}{}", fmt::join(some, ", "), all.size() > most ? ", ..." : "");
}

bool has_strong_diagonal(const Csr<double>& matrix) {
  const Index n = matrix.rows;
  const std::vector<double> diagonal = diagonal_magnitudes(matrix);
  bool strong = true;
#pragma omp parallel for schedule(static) reduction(&& : strong) if (worth_threads(n))
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

std::vector<LocalIndex> SparseAnalysis::column_places() const {
  return inverse_of(order);
}

std::vector<LocalIndex> SparseAnalysis::row_places() const {
  std::vector<LocalIndex> position(order.size());
  for (LocalIndex k = 0; k < rows(); ++k) position[row(k)] = k;
  return position;
}

std::int64_t SparseAnalysis::bytes() const {
  constexpr auto index = static_cast<std::int64_t>(sizeof(LocalIndex));
  constexpr auto offset = static_cast<std::int64_t>(sizeof(Index));
  const auto size = [](const auto& values) { return static_cast<std::int64_t>(values.size()); };
  return static_cast<std::int64_t>(sizeof(double)) * 2 * size(row_scale) +
         index *
             (size(given) + size(order) + size(row_of) + size(fronts.first) + size(fronts.parent) +
              size(fronts.border) + size(fronts.in_parent) + size(fronts.children) +
              size(fronts.first_of_subtree) + size(off_diagonal_blocks.roots)) +
         offset * (size(fronts.border_starts) + size(fronts.child_starts) + size(entries.starts) +
                   size(off_diagonal_blocks.starts)) +
         static_cast<std::int64_t>(sizeof(OffDiagonalEntry)) * size(off_diagonal_blocks.entries) +
         static_cast<std::int64_t>(sizeof(FrontEntry)) * size(entries.entries);
}

Index certain_zero_pivots(const SparseAnalysis& analysis, const Csr<double>& matrix) {
  const std::vector<LocalIndex> places = analysis.column_places();
  const Fronts& fronts = analysis.fronts;
  Index zeros = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (!fronts.children_of(s).empty()) continue;
    for (LocalIndex k = fronts.first[s]; k < fronts.first[s + 1]; ++k) {
      const auto columns = matrix.row_columns(analysis.order[k]);
      const bool has_own = std::any_of(columns.begin(), columns.end(), [&](LocalIndex column) {
        return places[column] >= fronts.first[s] && places[column] < fronts.first[s + 1];
      });
      if (!has_own) ++zeros;
    }
  }
  return zeros;
}

SparseAnalysis analyse_sparse(const Csr<double>& matrix, Factorization kind, Ordering wanted,
                              RowMatching matching, std::vector<LocalIndex> given, bool divides,
                              OrderUse use) {
  const Timer timer;
  if (matrix.rows > std::numeric_limits<LocalIndex>::max() - 1) {
    fail(ExitCode::resources,
         "the matrix has {} rows, and sparse elimination handles at most 2^31 - 2", matrix.rows);
  }
  Index vertices = 0;
  const auto tell = [&](double fraction) {
    if (use.progress != nullptr) use.progress->done(vertices, vertices, fraction);
  };
  if (use.progress != nullptr) use.progress->restart("analysing");
  SparseAnalysis analysis;
  analysis.kind = kind;
  analysis.pattern = pattern_checksum(matrix);
  analysis.nonzeros = matrix.nonzeros();
  std::vector<LocalIndex> mate;
  if (matching != RowMatching::none) mate = match_rows(matrix, matching, analysis);
  DividedPattern divided;
  // A symmetric pattern has nothing between its diagonal blocks.
  const bool symmetric = kind != Factorization::lu ||
                         (analysis.row_of.empty() && symmetry_of(matrix).symmetric_pattern);
  if (kind != Factorization::lu) {
    divided = divide_from_rows_alone(matrix);
  } else if (!symmetric && divides) {
    divided = divide(matrix, analysis.row_of);
  }
  {
    const bool whole = divided.block.empty();
    const auto& row_offsets = whole ? matrix.row_offsets : divided.row_offsets;
    const auto& columns = whole ? matrix.column_indices : divided.columns;
    Graph graph = symmetric ? graph_of_symmetric(row_offsets, columns)
                            : graph_of(row_offsets, columns, analysis.row_of);
    const CompressedGraph compressed = compressed_graph(std::move(graph), wanted, std::move(mate));
    OrderedGraph ordered = order_graph(compressed.graph, wanted, given, use);
    vertices = compressed.graph.size();
    tell(share_of_ordering);
    analysis.given = std::move(given);
    analysis.ordering = ordered.ordering;
    analysis.order = std::move(ordered.order);
    analysis.fronts = fronts_of(compressed, ordered.tree, analysis.order);
  }
  const std::vector<LocalIndex> row_place = analysis.row_places();
  const std::vector<LocalIndex> column_place = analysis.column_places();
  std::vector<LocalIndex> block;  // by places
  if (!divided.block.empty()) {
    for (const LocalIndex column : analysis.order) block.push_back(divided.block[column]);
  }
  analysis.entries = front_entries(analysis.fronts, matrix.row_offsets, matrix.column_indices,
                                   row_place, column_place, block, kind);
  analysis.off_diagonal_blocks =
      off_diagonal_blocks_of(matrix, analysis.fronts, block, row_place, column_place);
  analysis.count();
  tell(1);
  analysis.seconds = timer.seconds();
  return analysis;
}

}  // namespace spsolve::sparse
