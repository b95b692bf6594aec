#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/coo.hpp"
#include "helpers/error_of.hpp"
#include "helpers/sparse_cases.hpp"
#include "helpers/test_matrices.hpp"
#include "helpers/threads.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "sparse/analysis/analysis_file.hpp"

namespace spsolve {
namespace {

/// These matrices along the diagonal with entries between them, on one side of it, and rows and
/// columns that were shuffled, each for themselves.
Csr<double> in_blocks(const std::vector<std::string>& specs, Index between) {
  Coo list;
  std::vector<Index> starts{0};
  for (const std::string& spec : specs) {
    const Csr<double> block = generate_matrix(spec);
    for (Index i = 0; i < block.rows; ++i) {
      for (Index k = block.row_offsets[i]; k < block.row_offsets[i + 1]; ++k) {
        test::add(list, starts.back() + i, starts.back() + block.column_indices[k],
                  block.values[k]);
      }
    }
    starts.push_back(starts.back() + block.rows);
  }
  list.rows = list.columns = starts.back();
  const auto draw = [](std::uint64_t key, Index i, Index count) {
    return static_cast<Index>(random_bits(key, static_cast<std::uint64_t>(i)) %
                              static_cast<std::uint64_t>(count));
  };
  for (Index i = 0; i < between; ++i) {
    const Index row = draw(1, i, list.rows), column = draw(2, i, list.rows);
    const auto block = [&](Index at) { return std::ranges::upper_bound(starts, at); };
    if (block(row) < block(column)) {
      test::add(list, row, column, symmetric_interval(random_bits(3, i)));
    }
  }
  for (auto* places : {&list.row, &list.column}) {
    std::vector<Index> to(static_cast<std::size_t>(list.rows));
    std::iota(to.begin(), to.end(), Index{0});
    for (Index i = list.rows - 1; i > 0; --i) {
      std::swap(to[i], to[draw(places == &list.row ? 4 : 5, i, i + 1)]);
    }
    for (Index& place : *places) place = to[place];
  }
  return csr_from_coo(std::move(list));
}

/// Blocks of one unknown, small ones, and one that several threads share.
const Csr<double>& divided() {
  static const Csr<double> matrix = [] {
    std::vector<std::string> specs{"convdiff3d:12", "convdiff3d:6", "convdiff3d:5"};
    for (int i = 0; i < 40; ++i) specs.insert(specs.begin() + i % 3, "tridiagonal:1");
    specs.push_back("convdiff3d:3");
    return in_blocks(specs, 4000);
  }();
  return matrix;
}

TEST(SparseBlocks, AreTreesInTheOrderOfSolves) {
  const Csr<double>& matrix = divided();
  const auto analysis = test::analysis_of(matrix, Factorization::lu);
  const OffDiagonalBlocks& off_diagonal_blocks = analysis->off_diagonal_blocks;
  const Fronts& fronts = analysis->fronts;
  EXPECT_GE(off_diagonal_blocks.roots.size(), 44u);
  EXPECT_GT(off_diagonal_blocks.entries.size(), 400u);
  EXPECT_EQ(analysis->entries.entries.size() + off_diagonal_blocks.entries.size(),
            matrix.values.size());
  std::vector<std::size_t> block_at(static_cast<std::size_t>(matrix.rows));
  for (std::size_t block = 0; block < off_diagonal_blocks.roots.size(); ++block) {
    const LocalIndex root = off_diagonal_blocks.roots[block];
    EXPECT_EQ(fronts.parent[root], -1);
    for (LocalIndex k = fronts.first[fronts.first_of_subtree[root]]; k < fronts.first[root + 1];
         ++k) {
      block_at[k] = block;
    }
  }
  for (const OffDiagonalEntry& entry : off_diagonal_blocks.entries) {
    ASSERT_LT(block_at[entry.column], block_at[entry.row]) << "x is needed before it is known";
  }
}

TEST(SparseBlocks, SolveWithAAndItsTransposeForAnyColumns) {
  const Csr<double>& matrix = divided();
  test::WholeElimination<double> elimination(test::analysis_of(matrix, Factorization::lu));
  ASSERT_EQ(elimination.factor(Factorization::lu, matrix.values).failed, -1);
  for (const bool threshold : {false, true}) {
    if (threshold) {
      EXPECT_TRUE(elimination.factor_with_threshold(Factorization::lu, matrix.values).rows.empty());
    }
    for (const bool transposed : {false, true}) {
      for (const Index columns : {1, 3, 16, 20}) {
        EXPECT_LT(test::error_of_solve(matrix, elimination, transposed, columns), 1e-14)
            << threshold << transposed << columns;
      }
    }
  }
}

TEST(SparseBlocks, GiveTheSameBitsWithAnyThreads) {
  test::Threads lent(1);
  const Csr<double>& matrix = divided();
  const auto analysis = test::analysis_of(matrix, Factorization::lu);
  const Dense<double> b = test::right_hand_sides(matrix.rows, 1);
  std::vector<double> first;
  for (const int count : {1, 2, 4}) {
    lent.set(count);
    test::WholeElimination<double> elimination(analysis);
    elimination.factor(Factorization::lu, matrix.values);
    std::vector<double> all = test::solved(elimination, false, b).values;
    const std::vector<double> more = test::solved(elimination, true, b).values;
    all.insert(all.end(), more.begin(), more.end());
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << count;
  }
}

/// The errors that the off-diagonal blocks of an analysis may have, and the words for them.
struct Spoilt {
  std::string_view words;
  void (*spoil)(OffDiagonalBlocks&);
};

const Spoilt spoilt_off_diagonal_blocks[] = {
    {"blocks are not there", [](OffDiagonalBlocks& c) { c.roots.clear(); }},
    {"not its trees", [](OffDiagonalBlocks& c) { c.roots.pop_back(); }},
    {"not its trees", [](OffDiagonalBlocks& c) { c.roots[0] = c.roots[1]; }},
    {"not its trees", [](OffDiagonalBlocks& c) { c.roots[0] = -1; }},
    {"not its trees", [](OffDiagonalBlocks& c) { c.starts[1] = -1; }},
    {"elsewhere", [](OffDiagonalBlocks& c) { std::reverse(c.roots.begin(), c.roots.end()); }},
    {"elsewhere", [](OffDiagonalBlocks& c) { c.entries[0].row = -1; }},
    {"elsewhere", [](OffDiagonalBlocks& c) { c.entries[0].column = c.entries[0].row; }},
    {"elsewhere", [](OffDiagonalBlocks& c) { c.entries[0].column = 1 << 30; }},
    {"of a matrix", [](OffDiagonalBlocks& c) { c.entries[0].source = -1; }},
    {"of a matrix", [](OffDiagonalBlocks& c) { c.entries[0].source = c.entries[1].source; }},
};

TEST(SparseBlocks, AreKeptInTheFileOfAnAnalysisAndChecked) {
  const test::TemporaryFolder folder;
  const auto analysis = test::analysis_of(divided(), Factorization::lu);
  save_analysis(folder / "a.analysis", *analysis);
  EXPECT_EQ(load_analysis(folder / "a.analysis").off_diagonal_blocks.roots,
            analysis->off_diagonal_blocks.roots);
  for (const Spoilt& one : spoilt_off_diagonal_blocks) {
    SparseAnalysis spoilt = *analysis;
    one.spoil(spoilt.off_diagonal_blocks);
    save_analysis(folder / "a.analysis", spoilt);
    EXPECT_THAT(test::error_of([&] { load_analysis(folder / "a.analysis"); }),
                testing::HasSubstr(one.words))
        << "row " << &one - spoilt_off_diagonal_blocks;
  }
}

}  // namespace
}  // namespace spsolve
