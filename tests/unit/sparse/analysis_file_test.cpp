#include "sparse/analysis/analysis_file.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choice/factorization_estimate.hpp"
#include "core/error.hpp"
#include "helpers/checkpoint_bytes.hpp"
#include "helpers/error_of.hpp"
#include "helpers/sparse_cases.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

TEST(AnalysisFile, HoldsAnAnalysis) {
  const test::TemporaryFolder folder;
  test::for_sparse_cases([&](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = test::analysis_of(matrix, kind);
    save_analysis(folder / "a.analysis", *analysis);
    const auto kept = std::make_shared<SparseAnalysis>(load_analysis(folder / "a.analysis"));
    EXPECT_TRUE(kept->serves(matrix));
    EXPECT_EQ(kept->order, analysis->order);
    EXPECT_EQ(kept->ordering, analysis->ordering);
    test::WholeElimination<double> first(analysis), second(kept);
    first.factor(kind, matrix.values);
    second.factor(kind, matrix.values);
    const Dense<double> b = test::right_hand_sides(matrix.rows, 1);
    EXPECT_EQ(test::solved(first, false, b).values, test::solved(second, false, b).values);
  });
}

TEST(AnalysisFile, IsMadeAnewForAnotherOrder) {
  const test::TemporaryFolder folder;
  const Csr<double> matrix = generate_matrix("grid2d:3");
  SolverOptions options;
  options.method = Method::sparse_cholesky;
  options.analysis_file = folder / "a.analysis";
  SoloTeam team;
  const auto pattern_analysis = [&](Ordering ordering, const std::string& text = "") {
    options.ordering = ordering;
    if (ordering == Ordering::file) options.ordering_file = folder.write("order.txt", text);
    return analyse_pattern(team, matrix, options).analysis;
  };
  const auto made = pattern_analysis(Ordering::file, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  EXPECT_EQ(made->given.front(), 0);
  const auto other = pattern_analysis(Ordering::file, "9\n8\n7\n6\n5\n4\n3\n2\n1\n");
  EXPECT_EQ(other->given.front(), 8);
  // auto takes what is kept.
  EXPECT_EQ(pattern_analysis(Ordering::automatic)->given, other->given);
  EXPECT_EQ(pattern_analysis(Ordering::amd)->ordering, Ordering::amd);
  EXPECT_EQ(pattern_analysis(Ordering::automatic)->ordering, Ordering::amd);
  options.ordering_file.clear();
  options.ordering = Ordering::file;
  EXPECT_THROW(analyse_pattern(team, matrix, options), Error);
}

/// The errors that an analysis may have, and the words for it.
struct Spoilt {
  std::string_view words;
  void (*spoil)(SparseAnalysis&);
  Factorization kind = Factorization::lu;
};

const Spoilt spoilt_analyses[] = {
    {"no permutation", [](SparseAnalysis& a) { a.order[0] = a.order[1]; }},
    {"no permutation", [](SparseAnalysis& a) { a.order.push_back(0); }},
    {"no permutation", [](SparseAnalysis& a) { a.row_of = {0}; }},
    {"no permutation", [](SparseAnalysis& a) { a.given = a.order; }},
    {"no permutation", [](SparseAnalysis& a) { a.ordering = Ordering::file; }},
    {"no factorisation", [](SparseAnalysis& a) { a.ordering = Ordering::automatic; }},
    {"no factorisation", [](SparseAnalysis& a) { a.kind = static_cast<Factorization>(3); }},
    {"no factorisation", [](SparseAnalysis& a) { a.seconds = -1; }},
    {"positive numbers",
     [](SparseAnalysis& a) {
       a.row_scale = a.column_scale = {1, 0};
     }},
    {"not matched", [](SparseAnalysis& a) { a.row_of = a.order; }},
    {"not matched",
     [](SparseAnalysis& a) {
       a.row_scale = a.column_scale = std::vector<double>(a.order.size(), 1);
     },
     Factorization::cholesky},
    {"not those of its rows", [](SparseAnalysis& a) { a.fronts.first.back() += 1; }},
    {"not those of its rows", [](SparseAnalysis& a) { a.fronts.first[1] = a.fronts.first[2]; }},
    {"do not go together", [](SparseAnalysis& a) { a.fronts.border_starts.back() += 1; }},
    {"do not go together", [](SparseAnalysis& a) { a.fronts.in_parent.pop_back(); }},
    {"do not go together", [](SparseAnalysis& a) { a.fronts.first_of_subtree.clear(); }},
    {"no tree", [](SparseAnalysis& a) { a.fronts.parent[0] = 0; }},
    {"no tree", [](SparseAnalysis& a) { a.fronts.parent[0] = -1; }},
    {"no tree", [](SparseAnalysis& a) { a.fronts.first_of_subtree.back() += 1; }},
    {"no tree", [](SparseAnalysis& a) { a.fronts.first_of_subtree[0] = 1; }},
    {"no tree", [](SparseAnalysis& a) { a.fronts.children[0] = -1; }},
    {"no tree",  // a child that its parent does not know
     [](SparseAnalysis& a) {
       a.fronts.children.erase(a.fronts.children.begin());
       for (Index& start : a.fronts.child_starts) start = std::max<Index>(start - 1, 0);
     }},
    {"border", [](SparseAnalysis& a) { ++a.fronts.border[0]; }},
    {"border", [](SparseAnalysis& a) { --a.fronts.in_parent[0]; }},
    {"not those of its fronts", [](SparseAnalysis& a) { a.entries.starts[0] = -1; }},
    {"outside", [](SparseAnalysis& a) { a.entries.entries[3].row = 1000; }},
    {"outside", [](SparseAnalysis& a) { a.entries.entries[3].column = 1000; }},
    {"outside", [](SparseAnalysis& a) { a.entries.entries[3].column = ~0; }, Factorization::ldlt},
    {"matched", [](SparseAnalysis& a) { a.pairs = 1; }},
    {"matched", [](SparseAnalysis& a) { a.pairs = 1; }, Factorization::ldlt},
    {"matched",
     [](SparseAnalysis& a) {
       a.row_scale = a.column_scale = std::vector<double>(a.order.size(), 1);
       a.row_scale[2] = 2;
     },
     Factorization::ldlt},
    {"of a matrix", [](SparseAnalysis& a) { a.entries.entries[3].source = -1; }},
    {"of a matrix", [](SparseAnalysis& a) { a.entries.entries[3].source = a.nonzeros; }},
    {"of a matrix", [](SparseAnalysis& a) { ++a.entries.entries[3].source; }},
    {"of a matrix", [](SparseAnalysis& a) { a.nonzeros = Index{1} << 60; }},
    {"of a matrix", [](SparseAnalysis& a) { a.nonzeros *= 2; }, Factorization::cholesky},
};

TEST(AnalysisFile, IsRefusedWhereItContradictsItself) {
  const test::TemporaryFolder folder;
  const Csr<double> matrix = generate_matrix("grid2d:12");
  for (const Spoilt& one : spoilt_analyses) {
    SparseAnalysis spoilt = *test::analysis_of(matrix, one.kind);
    one.spoil(spoilt);
    save_analysis(folder / "a.analysis", spoilt);
    EXPECT_THAT(test::error_of([&] { load_analysis(folder / "a.analysis"); }),
                testing::HasSubstr(one.words))
        << "row " << &one - spoilt_analyses;
  }
}

TEST(AnalysisFile, IsRefusedWhereItIsDamaged) {
  const test::TemporaryFolder folder;
  const auto analysis = test::analysis_of(generate_matrix("grid2d:12"), Factorization::lu);
  // Every byte of the file is under a checksum.
  save_analysis(folder / "a.analysis", *analysis);
  const std::string bytes = test::contents(folder / "a.analysis");
  for (std::size_t at = 0; at < bytes.size(); at += 997) {
    std::string spoilt = bytes;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0x10);
    EXPECT_THROW(load_analysis(folder.write("b.analysis", spoilt)), Error) << at;
    EXPECT_THROW(load_analysis(folder.write("c.analysis", bytes.substr(0, at))), Error) << at;
  }
}

}  // namespace
}  // namespace spsolve
