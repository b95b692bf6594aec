#include "sparse/analysis/analysis_summary.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "matrix/generate/generate.hpp"
#include "report/page/html_report.hpp"
#include "report/sparse_report.hpp"

namespace spsolve {
namespace {

struct Case {
  std::string spec;
  Factorization kind;
  Ordering ordering = Ordering::automatic;
};

const std::vector<Case> cases = {
    {"grid2d:1", Factorization::cholesky},
    {"grid2d:9", Factorization::cholesky},
    {"grid2d:9", Factorization::lu},
    {"grid2d:40", Factorization::ldlt},
    {"grid3d:9", Factorization::cholesky, Ordering::nested_dissection},
    {"convdiff3d:8", Factorization::lu},
    {"circuit:80", Factorization::lu},  // rows are matched with columns
    {"circuit:500", Factorization::lu},
    {"tridiagonal:3000", Factorization::cholesky, Ordering::natural},  // deeper than there is room
};

template <typename Work>
void for_cases(const Work& work) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.spec + ", kind " + std::to_string(static_cast<int>(one.kind)));
    const Csr<double> matrix = generate_matrix(one.spec);
    work(matrix, analyse_sparse(matrix, one.kind, one.ordering, wanted_matching(matrix, one.kind)));
  }
}

Index sum(const std::vector<Index>& values) {
  return std::accumulate(values.begin(), values.end(), Index{0});
}

TEST(AnalysisSummary, LevelsShareOutTheFrontsAndTheirWork) {
  std::size_t deepest = 0;
  for_cases([&](const Csr<double>&, const SparseAnalysis& analysis) {
    const Fronts& fronts = analysis.fronts;
    const FrontLevels levels = front_levels(analysis, false);
    deepest = std::max(deepest, levels.count);
    std::vector<Index> expected(levels.count, 0), largest(levels.count, 0);
    for (LocalIndex s = 0; s < fronts.size(); ++s) {
      std::size_t level = 0;
      for (LocalIndex up = fronts.parent[s]; up != -1; up = fronts.parent[up]) ++level;
      level = std::min(level, FrontLevels::most - 1);
      ASSERT_LT(level, levels.count);
      ++expected[level];
      largest[level] = std::max<Index>(largest[level], fronts.pivots(s) + fronts.border_size(s));
    }
    double flops = 0;
    for (std::size_t level = 0; level < levels.count; ++level) {
      EXPECT_EQ(levels.of[level].fronts, expected[level]) << level;
      EXPECT_EQ(levels.of[level].largest_front, largest[level]) << level;
      EXPECT_GT(levels.of[level].flops, 0) << level;
      flops += levels.of[level].flops;
    }
    EXPECT_NEAR(flops, analysis.flops, 1e-12 * analysis.flops);
  });
  EXPECT_EQ(deepest, FrontLevels::most);
}

TEST(AnalysisSummary, FactorsCoverTheMatrix) {
  for_cases([](const Csr<double>& matrix, const SparseAnalysis& analysis) {
    const Pattern in_order = pattern_in_order(matrix, analysis);
    const Pattern factors = factor_pattern(analysis);
    EXPECT_EQ(sum(in_order.counts), matrix.nonzeros());
    EXPECT_EQ(sum(factors.counts), analysis.factor_entries);
    EXPECT_EQ(factors.nonzeros, analysis.factor_entries);
    ASSERT_EQ(factors.cells_down, in_order.cells_down);
    ASSERT_EQ(factors.cells_across, in_order.cells_across);
    const Index cells = factors.cells_down;
    for (Index i = 0; i < cells; ++i) {
      EXPECT_GT(in_order.counts[i * cells + i], 0) << "an empty diagonal at " << i;
      for (Index j = 0; j < cells; ++j) {
        const Index count = factors.counts[i * cells + j];
        const bool stored = analysis.kind == Factorization::lu || i >= j;
        if (matrix.rows <= 96) {
          EXPECT_LE(count, 1);
        }
        if (stored && i != j && analysis.off_diagonal_blocks.empty()) {
          EXPECT_GE(count, in_order.counts[i * cells + j]);
        }
        if (!stored) {
          EXPECT_EQ(count, 0);
        }
      }
    }
  });
}

TEST(AnalysisSummary, ReportsDrawEveryLevel) {
  for_cases([](const Csr<double>&, const SparseAnalysis& analysis) {
    SparseOutcome outcome;
    outcome.levels = front_levels(analysis, false);
    nlohmann::ordered_json report{{"status", "solved"}, {"sparse", to_json(outcome)}};
    EXPECT_EQ(report["sparse"]["levels"].size(), outcome.levels.count);
    const std::string page = html_report(report);
    constexpr std::size_t most_drawn = 16;
    const auto is_drawn = [&](std::size_t level, const char* more) {
      return page.find(">level " + std::to_string(level) + more + "<") != std::string::npos;
    };
    EXPECT_EQ(is_drawn(most_drawn - 1, "+"), outcome.levels.count > most_drawn);
    for (std::size_t level = 0; level + 1 < most_drawn; ++level) {
      EXPECT_EQ(is_drawn(level, ""), level < outcome.levels.count) << level;
    }
  });
}

}  // namespace
}  // namespace spsolve
