#include "sparse/analysis/analysis_summary.hpp"

#include <algorithm>

#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

namespace {

/// Rows that follow each other and lie in one cell of a pattern.
struct CellRows {
  Index cell = 0;
  Index count = 0;
};

void add_row(std::vector<CellRows>& rows, Index cell) {
  if (rows.empty() || rows.back().cell != cell) rows.push_back({cell, 0});
  ++rows.back().count;
}

/// Flops of real numbers to one of these.
double real_flops(bool complex) {
  return complex ? 4 : 1;
}

}  // namespace

FrontLevels front_levels(const SparseAnalysis& analysis, bool complex) {
  const Fronts& fronts = analysis.fronts;
  FrontLevels levels;
  std::vector<std::size_t> level_of(fronts.size(), 0);
  for (LocalIndex s = fronts.size(); s-- > 0;) {  // parents before their children
    const LocalIndex up = fronts.parent[s];
    if (up != -1) level_of[s] = std::min(level_of[up] + 1, FrontLevels::most - 1);
    FrontLevel& level = levels.of[level_of[s]];
    ++level.fronts;
    level.largest_front =
        std::max<Index>(level.largest_front, fronts.pivots(s) + fronts.border_size(s));
    level.flops += real_flops(complex) * front_flops(fronts, s, analysis.kind != Factorization::lu);
    levels.count = std::max(levels.count, level_of[s] + 1);
  }
  return levels;
}

SparseOutcome outcome_of(const SparseAnalysis& analysis, bool complex) {
  SparseOutcome outcome;
  outcome.analysis_seconds = analysis.seconds;
  outcome.complex = complex;
  outcome.flops = real_flops(complex) * analysis.flops;
  outcome.fronts = analysis.fronts.size();
  outcome.pairs = analysis.pairs;
  if (!analysis.off_diagonal_blocks.empty()) {
    outcome.blocks = static_cast<Index>(analysis.off_diagonal_blocks.roots.size());
  }
  outcome.factor_entries = analysis.factor_entries;
  return outcome;
}

Pattern pattern_in_order(const Csr<double>& matrix, const SparseAnalysis& analysis) {
  return pattern_of(matrix, analysis.row_places(), analysis.column_places());
}

Pattern factor_pattern(const SparseAnalysis& analysis, Index most_cells) {
  const Fronts& fronts = analysis.fronts;
  const Index n = analysis.rows(), cells = std::min(most_cells, n);
  const bool symmetric = analysis.kind != Factorization::lu;
  Pattern pattern{n, n, analysis.factor_entries, cells, cells, {}, {0}};
  pattern.counts.assign(static_cast<std::size_t>(cells * cells), 0);
  const auto at = [&](const CellRows& row, const CellRows& column) -> Index& {
    return pattern.counts[row.cell * cells + column.cell];
  };
  std::vector<CellRows> pivots, border;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    pivots.clear();
    border.clear();
    for (Index k = fronts.first[s]; k < fronts.first[s + 1]; ++k) add_row(pivots, k * cells / n);
    for (const Index row : fronts.border_of(s)) add_row(border, row * cells / n);
    for (const CellRows& column : pivots) {
      for (const CellRows& row : pivots) {
        if (!symmetric || row.cell > column.cell) {
          at(row, column) += row.count * column.count;
        } else if (row.cell == column.cell) {
          at(row, column) += row.count * (row.count + 1) / 2;
        }
      }
      for (const CellRows& row : border) {
        at(row, column) += row.count * column.count;
        if (!symmetric) at(column, row) += row.count * column.count;
      }
    }
  }
  return pattern;
}

}  // namespace spsolve::sparse
