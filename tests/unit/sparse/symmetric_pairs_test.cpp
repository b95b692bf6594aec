#include "sparse/matching/symmetric_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/coo.hpp"
#include "helpers/matched_systems.hpp"
#include "helpers/sparse_cases.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "sparse/analysis/analysis_file.hpp"
#include "sparse/fronts/panels.hpp"
#include "sparse/matching/permutation.hpp"
#include "sparse/sparse_inverse.hpp"
#include "team/team.hpp"

namespace spsolve {
namespace {

using testing::ElementsAre;

/// A full symmetric matrix of 1 with this diagonal.
Csr<double> ones_with(const std::vector<double>& diagonal) {
  const auto n = static_cast<LocalIndex>(diagonal.size());
  Csr<double> matrix;
  matrix.rows = matrix.columns = n;
  matrix.row_offsets = {0};
  for (LocalIndex i = 0; i < n; ++i) {
    for (LocalIndex j = 0; j < n; ++j) {
      matrix.column_indices.push_back(j);
      matrix.values.push_back(i == j ? diagonal[i] : 1);
    }
    matrix.row_offsets.push_back((i + 1) * n);
  }
  return matrix;
}

/// The mates of a matching that is given by its permutation, all factors being 1.
std::vector<LocalIndex> mates_of(const Csr<double>& matrix, std::vector<LocalIndex> row_of_column,
                                 std::vector<LocalIndex> unmatched = {}) {
  MaximumProductMatching matching;
  matching.rows = matching.columns = std::vector<double>(row_of_column.size(), 1);
  matching.symmetric.assign(row_of_column.size(), 0);
  matching.row_of_column = std::move(row_of_column);
  matching.unmatched_rows = matching.unmatched_columns = std::move(unmatched);
  const SymmetricPairs pairs = symmetric_pairs(matrix, matching);
  const auto paired = [&](LocalIndex i) { return pairs.mate[i] != i; };
  LocalIndex count = 0;
  for (LocalIndex i = 0; i < std::ssize(pairs.mate); ++i) count += paired(i) ? 1 : 0;
  EXPECT_EQ(count, 2 * pairs.count);
  return pairs.mate;
}

TEST(SymmetricPairs, AreTheCyclesOfTheMatching) {
  EXPECT_THAT(mates_of(ones_with({9, 9, 9}), {0, 1, 2}), ElementsAre(0, 1, 2));
  EXPECT_THAT(mates_of(ones_with({0, 9, 0}), {2, 1, 0}), ElementsAre(2, 1, 0));
  // Of three rows the one with the largest diagonal entry is alone.
  EXPECT_THAT(mates_of(ones_with({.1, .5, .2}), {1, 2, 0}), ElementsAre(2, 1, 0));
  EXPECT_THAT(mates_of(ones_with({.7, .5, .2}), {1, 2, 0}), ElementsAre(0, 2, 1));
  EXPECT_THAT(mates_of(ones_with({0, 0, 0, 0, .3}), {1, 2, 3, 4, 0}), ElementsAre(1, 0, 3, 2, 4));
  // Rows 0 and 1 would make a singular pivot; in the other one 1 and 2 would.
  EXPECT_THAT(mates_of(ones_with({1, 1, 0, 0}), {1, 2, 3, 0}), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(mates_of(ones_with({0, 1, 1, 0}), {1, 2, 3, 0}), ElementsAre(1, 0, 3, 2));
  // A cycle that is none of matched entries alone.
  EXPECT_THAT(mates_of(ones_with({0, 0, 0, 0}), {1, 0, 3, 2}, {1}), ElementsAre(0, 1, 3, 2));
}

SymmetricPairs pairs_of(const Csr<double>& matrix) {
  return symmetric_pairs(matrix, maximum_product_matching(matrix));
}

const char* const systems[] = {"kkt:300",           "ipm_tree:200:1",   "ipm_tree:200:100",
                               "ipm_flow:150:60",   "ipm_pde2d:12:100", "ipm_pde3d:7:100",
                               "ipm_control:20:60", "ipm_band:300:100", "helmholtz2d:12"};

TEST(SymmetricPairs, ScaleEntriesToAtMostOne) {
  for (const char* spec : systems) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const SymmetricPairs pairs = pairs_of(matrix);
    double largest = 0;
    for (LocalIndex i = 0; i < matrix.rows; ++i) {
      const auto columns = matrix.row_columns(i);
      double of_row = 0, of_mate = 1;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const LocalIndex j = columns[k];
        const double size = std::abs(matrix.row_values(i)[k]) * (pairs.scale[i] * pairs.scale[j]);
        of_row = std::max(of_row, size);
        if (j == pairs.mate[i]) of_mate = size;
      }
      largest = std::max(largest, of_row);
      EXPECT_GT(of_row, 0.24);
      EXPECT_GT(of_mate, 0);
      EXPECT_EQ(pairs.mate[pairs.mate[i]], i);
      int exponent = 0;
      EXPECT_EQ(std::frexp(pairs.scale[i], &exponent), 0.5) << "no power of two";
    }
    EXPECT_LE(largest, 1 + 1e-12);
  }
}

/// A dense block of 150 rows, half of them without a diagonal entry, and rows with pairs around it.
Csr<double> wide_pairs() {
  const Index n = 330, core = 151;
  Coo coo;
  coo.rows = coo.columns = n;
  const auto put = [&](Index i, Index j, double value) {
    test::add(coo, i, j, value);
    if (i != j) test::add(coo, j, i, value);
  };
  for (Index i = 0; i < core; ++i) {
    if (i % 5 == 0) put(i, i, 1e3);
    for (Index j = 0; j < i; ++j) put(i, j, 0.01 + (i / 2 == j / 2 ? 1 : 0));
  }
  for (Index i = core; i < n; ++i) {
    if (i % 3 == 0) put(i, i, 2);
    put(i, i - core < core ? i - core : i - 7, i % 3 == 0 ? 0.1 : 3);
  }
  return csr_from_coo(std::move(coo));
}

TEST(SymmetricPairs, LieInOneBlockOfPivots) {
  static_assert(widest_ldlt_panel % 2 == 0);
  std::vector<Csr<double>> matrices{wide_pairs()};
  for (const char* spec : systems) matrices.push_back(generate_matrix(spec));
  Index beyond = 0;  // pairs beyond the first block of their front
  for (const Csr<double>& matrix : matrices) {
    const std::vector<LocalIndex> mate = pairs_of(matrix).mate;
    for (const Ordering ordering :
         {Ordering::amd, Ordering::nested_dissection, Ordering::rcm, Ordering::natural}) {
      const SparseAnalysis analysis =
          analyse_sparse(matrix, Factorization::ldlt, ordering, RowMatching::pairs);
      std::vector<LocalIndex> sorted = analysis.order;
      std::ranges::sort(sorted);
      std::vector<LocalIndex> all(static_cast<std::size_t>(matrix.rows));
      std::iota(all.begin(), all.end(), 0);
      ASSERT_EQ(sorted, all);
      const std::vector<LocalIndex> place = inverse_of(analysis.order);
      LocalIndex pairs = 0;
      for (LocalIndex s = 0; s < analysis.fronts.size(); ++s) {
        for (LocalIndex k = analysis.fronts.first[s]; k < analysis.fronts.first[s + 1]; ++k) {
          const LocalIndex other = place[mate[analysis.order[k]]];
          if (other <= k) continue;
          ++pairs;
          const LocalIndex first = k - analysis.fronts.first[s];
          EXPECT_EQ(other, k + 1);
          EXPECT_LT(other, analysis.fronts.first[s + 1]);
          EXPECT_EQ(first % 2, 0);
          beyond += first >= widest_ldlt_panel ? 1 : 0;
        }
      }
      EXPECT_EQ(pairs, analysis.pairs);
    }
  }
  EXPECT_GT(beyond, 0);
}

TEST(SymmetricPairs, AreKeptWithTheirAnalysis) {
  const test::TemporaryFolder folder;
  const SparseAnalysis analysis = analyse_sparse(
      generate_matrix("ipm_band:300:100"), Factorization::ldlt, Ordering::amd, RowMatching::pairs);
  EXPECT_EQ(analysis.pairs, 100);
  save_analysis(folder / "a.analysis", analysis);
  const SparseAnalysis kept = load_analysis(folder / "a.analysis");
  EXPECT_EQ(kept.pairs, analysis.pairs);
  EXPECT_EQ(kept.row_scale, analysis.row_scale);
}

TEST(SymmetricPairs, LeaveNoSmallPivots) {
  test::expect_pairs_leave_no_small_pivots(host_sparse_memory(), host_vector_memory());
}

TEST(SymmetricPairs, AreLookedForWhereValuesBeforeDidNotDo) {
  test::expect_pairs_for_later_values(host_sparse_memory(), host_vector_memory(), 60, 30);
}

TEST(SymmetricPairs, TakeThePlaceOfThresholdPivotsWhereTheyAreSoonerDone) {
  constexpr const char* spec = "ipm_pde3d:14:100";
  for (const AutoSwitch equilibrate : {AutoSwitch::automatic, AutoSwitch::off}) {
    SCOPED_TRACE(static_cast<int>(equilibrate));
    test::EliminatedSequence sequence(host_sparse_memory(), host_vector_memory(), spec,
                                      AutoSwitch::automatic, equilibrate);
    const SparseOutcome first = sequence.eliminate(spec);
    if (sequence.inverse().iterates()) {
      EXPECT_TRUE(sequence.inverse().eliminate_exactly());
    }
    const SparseOutcome& exact = *sequence.inverse().facts().sparse;
    EXPECT_GT(exact.pairs, 0);
    EXPECT_FALSE(sequence.inverse().iterates());
    EXPECT_EQ(exact.perturbed_pivots, 0);
    EXPECT_EQ(exact.negative_pivots, first.negative_pivots);
    EXPECT_LT(sequence.error(), 1e-12);
    EXPECT_THAT(sequence.inverse().facts().notes, testing::Contains(testing::HasSubstr("matched")));
    if (equilibrate == AutoSwitch::off) continue;
    EXPECT_EQ(exact.delayed_pivots, 0);
    // The next values are scaled by the matching alone.
    EXPECT_GT(sequence.eliminate("ipm_pde3d:14:99").pairs, 0);
    EXPECT_LT(sequence.error(), 1e-12);
  }
}

TEST(SymmetricPairs, AreLookedForAnewForValuesThatThoseOfOthersDoNotServe) {
  constexpr const char* spec = "ipm_band:3000:100";
  test::EliminatedSequence sequence(host_sparse_memory(), host_vector_memory(), spec,
                                    AutoSwitch::on, AutoSwitch::automatic);
  EXPECT_EQ(sequence.eliminate(spec).perturbed_pivots, 0);
  // Large weights become small, and small ones large.
  Csr<double> other = generate_matrix(spec);
  for (LocalIndex i = 0; i < 3000; ++i) {
    const auto columns = other.row_columns(i);
    const auto at = std::ranges::lower_bound(columns, i) - columns.begin();
    double& weight = other.values[other.row_offsets[i] + at];
    weight = 1 / weight;
  }
  EXPECT_GT(sequence.eliminate(other.values).perturbed_pivots, 0);
  for (int system = 0; system < 2; ++system) {
    EXPECT_EQ(sequence.eliminate(other.values).perturbed_pivots, 0);
    EXPECT_EQ(sequence.inverse().facts().sparse->delayed_pivots, 0);
    EXPECT_LT(sequence.error(), 1e-12);
  }
}

}  // namespace
}  // namespace spsolve
