#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choice/factorization_estimate.hpp"
#include "choice/solver_table.hpp"
#include "helpers/coo.hpp"
#include "helpers/error_of.hpp"
#include "helpers/sparse_cases.hpp"
#include "helpers/threads.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "sparse/analysis/analysis.hpp"
#include "sparse/values/scaling.hpp"

namespace spsolve {
namespace {

TEST(PatternAnalysis, AutoLooksWhereSparseEliminationMayBeSoonerDone) {
  SoloTeam team;
  for (const auto& [spec, looks] : std::initializer_list<std::pair<const char*, bool>>{
           {"grid2d:13", false},  // 169 rows
           {"grid2d:15", true},   // 225 of 5
           {"circuit:450", true},
           {"cage:450", false},  // 17 a row
           {"random_sparse:450:450:9", false},
           {"cage:600", true},
           {"random_sparse:600:600:100", false},  // a sixth of the entries
           {"random_dense:600", false}}) {
    const PatternAnalysis pattern_analysis = analyse_pattern(team, generate_matrix(spec), {});
    EXPECT_EQ(pattern_analysis.estimate.analysed, looks) << spec;
  }
}

TEST(PatternAnalysis, GpusGetShallowTrees) {
  SoloTeam team;
  const auto pattern_analysis_of = [&](const char* spec, MemoryKind memory) {
    return analyse_pattern(team, generate_matrix(spec), {}, memory);
  };
  const PatternAnalysis on_host = pattern_analysis_of("tridiagonal:20000", MemoryKind::host),
                        on_gpu = pattern_analysis_of("tridiagonal:20000", MemoryKind::gpu);
  EXPECT_EQ(on_host.estimate.ordering, Ordering::amd);
  EXPECT_GT(height_of(on_host.analysis->fronts.parent), 1000);
  EXPECT_EQ(on_gpu.estimate.ordering, Ordering::nested_dissection);
  EXPECT_LT(height_of(on_gpu.analysis->fronts.parent), 200);
  EXPECT_LT(on_gpu.estimate.factor_entries, 5 * on_host.estimate.factor_entries);
  for (const char* spec : {"tridiagonal:900", "grid2d:60", "circuit:3000"}) {
    EXPECT_EQ(pattern_analysis_of(spec, MemoryKind::gpu).estimate.ordering,
              pattern_analysis_of(spec, MemoryKind::host).estimate.ordering)
        << spec;
  }
}

TEST(PatternAnalysis, GpusMakeDenseWhatFillsUp) {
  // An expander of 4000 nodes fills half of its factors, by pivots that wait for each other.
  SoloTeam team;
  for (const char* spec : {"cage:6000", "random_sparse:4000:4000:9", "grid2d:40", "circuit:1500"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    SolverQuestion question;
    question.shape = {matrix.rows, matrix.columns, 0, matrix.nonzeros()};
    question.memory = MemoryKind::gpu;
    question.pattern_analysis = analyse_pattern(team, matrix, question.options, MemoryKind::gpu);
    EXPECT_EQ(choose_solver(question).method == Method::lu, matrix.rows > 2000);
  }
}

TEST(SparseOrder, OfExpandersIsByMinimumDegree) {
  // Their degrees are those of solids, but no small separator parts them.
  SoloTeam team;
  for (const auto& [spec, wanted] : std::initializer_list<std::pair<const char*, Ordering>>{
           {"cage:3000", Ordering::amd},
           {"random_sparse:3000:3000:9", Ordering::amd},
           {"grid3d:20", Ordering::nested_dissection},
           {"elastic3d:10", Ordering::nested_dissection},
           {"grid3d27:12:3", Ordering::nested_dissection}}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const auto analysed = [&](Ordering ordering) {
      return analyse_sparse(matrix, Factorization::lu, ordering, RowMatching::rows);
    };
    const auto automatic = analysed(Ordering::automatic), one = analysed(Ordering::amd),
               other = analysed(Ordering::nested_dissection);
    EXPECT_EQ(automatic.ordering, wanted);
    EXPECT_LE(automatic.flops, std::min(one.flops, other.flops));
  }
}

TEST(EliminationTree, HasAHeight) {
  EXPECT_EQ(height_of(std::vector<LocalIndex>{}), 0);
  EXPECT_EQ(height_of(std::vector<LocalIndex>{-1, -1}), 1);
  EXPECT_EQ(height_of(std::vector<LocalIndex>{1, 4, 3, 4, -1, -1}), 3);
}

TEST(SparseFronts, HoldTheFillOfTheElimination) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = test::analysis_of(matrix, kind);
    const Fronts& fronts = analysis->fronts;
    const Index n = matrix.rows;
    std::vector<LocalIndex> sorted = analysis->order;
    std::sort(sorted.begin(), sorted.end());
    for (Index k = 0; k < n; ++k) ASSERT_EQ(sorted[k], k);
    // Elimination of the pattern by hand, in the same order.
    std::vector<std::vector<bool>> filled(n, std::vector<bool>(n, false));
    std::vector<LocalIndex> column_place(n), row_place(n);
    for (LocalIndex k = 0; k < n; ++k) {
      column_place[analysis->order[k]] = k;
      row_place[analysis->row(k)] = k;
    }
    std::vector<bool> couples(matrix.values.size(), false);  // entries in no front
    for (const OffDiagonalEntry& entry : analysis->off_diagonal_blocks.entries)
      couples[entry.source] = true;
    for (Index i = 0; i < n; ++i) {
      for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
        if (couples[k]) continue;
        const LocalIndex j = matrix.column_indices[k];
        filled[row_place[i]][column_place[j]] = filled[column_place[j]][row_place[i]] = true;
      }
    }
    for (LocalIndex s = 0; s < fronts.size(); ++s) {
      const auto border = fronts.border_of(s);
      EXPECT_TRUE(std::is_sorted(border.begin(), border.end()));
      const LocalIndex up = fronts.parent[s];
      EXPECT_EQ(up == -1, border.empty());
      for (std::size_t i = 0; up != -1 && i < border.size(); ++i) {
        const LocalIndex place = fronts.in_parent_of(s)[i];
        const LocalIndex row = place < fronts.pivots(up)
                                   ? fronts.first[up] + place
                                   : fronts.border_of(up)[place - fronts.pivots(up)];
        ASSERT_EQ(row, border[i]);
      }
      for (LocalIndex k = fronts.first[s]; k < fronts.first[s + 1]; ++k) {
        std::vector<LocalIndex> rows;
        for (LocalIndex i = k + 1; i < n; ++i) {
          if (filled[i][k]) rows.push_back(i);
        }
        for (const LocalIndex i : rows) {
          ASSERT_TRUE(i < fronts.first[s + 1] ||
                      std::binary_search(border.begin(), border.end(), i))
              << "row " << i << " of column " << k;
          for (const LocalIndex j : rows) filled[i][j] = true;
        }
      }
    }
  });
}

TEST(SparseAnalysis, TakesAnOrderThatIsGiven) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    const RowMatching matches = wanted_matching(matrix, kind);
    const SparseAnalysis found = analyse_sparse(matrix, kind, Ordering::nested_dissection, matches);
    const auto taken = std::make_shared<SparseAnalysis>(
        analyse_sparse(matrix, kind, Ordering::file, matches, found.order));
    EXPECT_EQ(taken->ordering, Ordering::file);
    EXPECT_EQ(taken->given, found.order);
    const Graph graph = graph_of(matrix.row_offsets, matrix.column_indices, found.row_of);
    EXPECT_EQ(cost_of(graph, taken->order).entries, cost_of(graph, found.order).entries);
    EXPECT_EQ(taken->factor_entries, found.factor_entries);
    test::WholeElimination<double> elimination(taken);
    ASSERT_EQ(elimination.factor(kind, matrix.values).failed, -1);
    EXPECT_LT(test::error_of_solve(matrix, elimination, false, 1), 1e-4);
  });
}

TEST(SparseAnalysis, KeepsAGivenOrderThatPartsTwins) {
  // 0 and 1 have the same neighbours; 2 is between them and 3, 4, 5.
  Coo list;
  list.rows = list.columns = 6;
  for (Index i = 0; i < 6; ++i) test::add(list, i, i, 8);
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}, {2, 3}, {2, 4}, {2, 5}}) {
    test::add(list, i, j, 1);
    test::add(list, j, i, 1);
  }
  const Csr<double> matrix = csr_from_coo(std::move(list));
  const Graph graph = graph_of(matrix.row_offsets, matrix.column_indices);
  const auto entries = [&](const std::vector<LocalIndex>& order) {
    const SparseAnalysis analysis =
        analyse_sparse(matrix, Factorization::cholesky, Ordering::file, RowMatching::none, order);
    return cost_of(graph, analysis.order).entries;
  };
  EXPECT_EQ(entries({0, 2, 1, 3, 4, 5}), 18);
  EXPECT_EQ(entries({0, 1, 2, 3, 4, 5}), 15);
  EXPECT_EQ(entries({3, 4, 5, 0, 1, 2}), 12);
}

/// Numbers of all entries of fronts.
std::vector<Index> numbers_of(const FrontEntries& entries) {
  std::vector<Index> numbers;
  for (const FrontEntry& entry : entries.entries) {
    numbers.insert(numbers.end(), {entry.source, entry.row, entry.column});
  }
  return numbers;
}

TEST(SparseAnalysis, TakesTheGraphOfMatchedRowsByAnyNumberOfThreads) {
  const Csr<double> matrix = generate_matrix("random_sparse:3000:3000:9");
  std::vector<LocalIndex> row_of(matrix.rows);
  for (LocalIndex j = 0; j < matrix.rows; ++j) row_of[j] = (7 * j + 5) % matrix.rows;
  std::vector<std::set<LocalIndex>> neighbours(matrix.rows);
  for (LocalIndex i = 0; i < matrix.rows; ++i) {
    for (const LocalIndex j : matrix.row_columns(row_of[i])) {
      if (i == j) continue;
      neighbours[i].insert(j);
      neighbours[j].insert(i);
    }
  }
  test::Threads lent(1);
  for (const int threads : {1, 3, 5}) {
    lent.set(threads);
    const Graph graph = graph_of(matrix.row_offsets, matrix.column_indices, row_of);
    ASSERT_EQ(graph.size(), matrix.rows);
    for (LocalIndex v = 0; v < graph.size(); ++v) {
      ASSERT_TRUE(std::ranges::equal(graph.of(v), neighbours[v])) << threads << " threads, " << v;
    }
  }
}

TEST(SparseAnalysis, IsTheSameForAnyNumberOfThreads) {
  test::Threads lent(1);
  for (const std::string name :
       {"grid2d:160", "grid3d27:30:2", "kkt:30000", "circuit:30000", "convdiff3d:28"}) {
    SCOPED_TRACE(name);
    const Csr<double> matrix = generate_matrix(name);
    const bool symmetric = name != "circuit:30000" && name != "convdiff3d:28";
    const auto analysed = [&](int threads) {
      lent.set(threads);
      return analyse_sparse(matrix, symmetric ? Factorization::ldlt : Factorization::lu,
                            Ordering::nested_dissection, RowMatching::none);
    };
    const SparseAnalysis alone = analysed(1), together = analysed(4);
    EXPECT_EQ(together.order, alone.order);
    EXPECT_EQ(together.fronts.first, alone.fronts.first);
    EXPECT_EQ(together.fronts.parent, alone.fronts.parent);
    EXPECT_EQ(together.fronts.border_starts, alone.fronts.border_starts);
    EXPECT_EQ(together.fronts.border, alone.fronts.border);
    EXPECT_EQ(together.fronts.in_parent, alone.fronts.in_parent);
    EXPECT_EQ(together.entries.starts, alone.entries.starts);
    EXPECT_EQ(numbers_of(together.entries), numbers_of(alone.entries));
  }
}

TEST(SparseAnalysis, NamesRowsAndColumnsOfStructurallySingularMatrices) {
  Coo list;
  list.rows = list.columns = 4;
  for (const auto& [i, j] : {std::pair{0, 0}, {1, 0}, {2, 1}, {3, 2}, {3, 3}}) {
    test::add(list, i, j, 1);
  }
  const Csr<double> matrix = csr_from_coo(std::move(list));
  const std::string said = test::error_of(
      [&] { analyse_sparse(matrix, Factorization::lu, Ordering::automatic, RowMatching::rows); },
      ExitCode::not_trustworthy);
  EXPECT_THAT(said, testing::HasSubstr("only 3 of 4 rows"));
}

TEST(SparseAnalysis, NamesThemForSymmetricFactorisationsToo) {
  Coo list;
  list.rows = list.columns = 4;  // a star: rows 2, 3 and 4 have column 1 alone
  for (LocalIndex i = 1; i < 4; ++i) {
    test::add(list, i, 0, 1 + i);
    test::add(list, 0, i, 1 + i);
  }
  const Csr<double> matrix = csr_from_coo(std::move(list));
  EXPECT_EQ(wanted_matching(matrix, Factorization::ldlt), RowMatching::rows);
  const std::string said = test::error_of(
      [&] { analyse_sparse(matrix, Factorization::ldlt, Ordering::amd, RowMatching::rows); },
      ExitCode::not_trustworthy);
  EXPECT_THAT(said, testing::HasSubstr("only 2 of 4 rows"));
  EXPECT_THAT(said, testing::HasSubstr("rows 2, 3 and 4 have non-zeros in column 1 only"));
}

TEST(SparseAnalysis, MatchesForSymmetricFactorisationsWhereDiagonalEntriesAreZero) {
  EXPECT_EQ(wanted_matching(generate_matrix("helmholtz2d:9"), Factorization::ldlt),
            RowMatching::none);
  EXPECT_EQ(wanted_matching(generate_matrix("kkt:90"), Factorization::ldlt), RowMatching::rows);
  EXPECT_EQ(wanted_matching(generate_matrix("kkt:90"), Factorization::cholesky), RowMatching::none);
}

TEST(SparseAnalysis, SeesStrongDiagonals) {
  EXPECT_TRUE(has_strong_diagonal(generate_matrix("grid2d:9")));
  EXPECT_TRUE(has_strong_diagonal(generate_matrix("convdiff3d:5")));
  EXPECT_FALSE(has_strong_diagonal(test::shifted(generate_matrix("grid2d:9"), -4)));
  EXPECT_FALSE(has_strong_diagonal(generate_matrix("circuit:200")));
}

TEST(SparseScaling, LeavesRowsWithoutADiagonalEntryAsTheyAre) {
  Coo list;
  list.rows = list.columns = 3;
  test::add(list, 1, 1, 16);
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    test::add(list, i, j, 0x1p40);
    test::add(list, j, i, 0x1p40);
  }
  const Csr<double> matrix = csr_from_coo(std::move(list));
  const SparseAnalysis analysis =
      analyse_sparse(matrix, Factorization::cholesky, Ordering::natural, RowMatching::none);
  Equilibration scaling;
  find_scale_factors(*host_scaled_values(matrix), analysis, AutoSwitch::on, Precision::float64,
                     scaling);
  EXPECT_TRUE(scaling.scales);
  EXPECT_EQ(scaling.rows, (std::vector<double>{1, 0.25, 1}));
  EXPECT_EQ(scaling.columns, scaling.rows);
}

TEST(SparseGraph, CompressesUnknownsOfANode) {
  const Csr<double> matrix = generate_matrix("grid3d27:4:3");
  const CompressedGraph compressed = compress(graph_of(matrix.row_offsets, matrix.column_indices));
  EXPECT_EQ(compressed.graph.size(), 64);
  for (LocalIndex g = 0; g < 64; ++g) {
    EXPECT_EQ(compressed.graph.weight(g), 3);
    EXPECT_EQ(compressed.members[compressed.firsts[g]], 3 * g);
  }
}

TEST(SparseGraph, ByPlacesInAnOrder) {
  const Csr<double> matrix = generate_matrix("grid3d27:4:3");
  Graph graph = compress(graph_of(matrix.row_offsets, matrix.column_indices)).graph;
  for (LocalIndex v = 0; v < graph.size(); ++v) graph.weights[v] = v + 1;
  std::vector<LocalIndex> order;  // every fifth vertex of 64, round and round
  for (LocalIndex k = 0; k < graph.size(); ++k) order.push_back(5 * k % graph.size());
  const PlacedGraph result = placed(graph, order);
  ASSERT_EQ(result.size(), graph.size());
  for (LocalIndex k = 0; k < graph.size(); ++k) {
    EXPECT_EQ(result.weight(k), order[k] + 1);
    std::vector<LocalIndex> vertices;
    for (const LocalIndex place : result.of(k)) vertices.push_back(order[place]);
    std::sort(vertices.begin(), vertices.end());
    const auto expected = graph.of(order[k]);
    EXPECT_EQ(vertices, std::vector<LocalIndex>(expected.begin(), expected.end())) << k;
  }
  graph.weights.clear();
  EXPECT_EQ(placed(graph, order).weight(7), 1);
}

}  // namespace
}  // namespace spsolve
