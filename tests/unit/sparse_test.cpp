#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/error.hpp"
#include "helpers/dense.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/analysis_file.hpp"
#include "sparse/elimination.hpp"
#include "sparse/outlook.hpp"
#include "sparse/scaling.hpp"

namespace spsolve {
namespace {

using test::dense;

/// A matrix and how it may be factored.
struct Case {
  std::string spec;
  std::vector<Factorization> kinds;
};

const std::vector<Case> cases = {
    {"grid2d:1", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid2d:13", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid2d:40", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid3d:9", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"grid3d27:6:3", {Factorization::cholesky, Factorization::ldlt, Factorization::lu}},
    {"elastic3d:4", {Factorization::cholesky, Factorization::lu}},
    {"aniso2d:20", {Factorization::cholesky}},
    {"helmholtz2d:20", {Factorization::ldlt, Factorization::lu}},
    {"kkt:300", {Factorization::ldlt}},
    {"convdiff3d:8", {Factorization::lu}},
    {"circuit:500", {Factorization::lu}},
    {"random_dense:60", {Factorization::lu}},
};

template <typename Work>
void for_cases(const Work& work) {
  for (const Case& one : cases) {
    const Csr<double> matrix = generate_matrix(one.spec);
    for (const Factorization kind : one.kinds) {
      SCOPED_TRACE(one.spec + ", kind " + std::to_string(static_cast<int>(kind)));
      work(matrix, kind);
    }
  }
}

std::vector<double> numbers(Index count) {
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) values.push_back(symmetric_interval(random_bits(7, i)));
  return values;
}

/// max |b - A x| / (max |A| max |x|) over K columns, or with A^T.
double residual(const Csr<double>& a, bool transposed, Index columns, const std::vector<double>& b,
                const std::vector<double>& x) {
  std::vector<double> r = b;
  double of_a = 0, of_x = 0, worst = 0;
  for (Index i = 0; i < a.rows; ++i) {
    for (Index k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const Index j = a.column_indices[k], to = transposed ? j : i, from = transposed ? i : j;
      of_a = std::max(of_a, std::abs(a.values[k]));
      for (Index c = 0; c < columns; ++c) {
        r[to * columns + c] -= a.values[k] * x[from * columns + c];
      }
    }
  }
  for (const double value : x) of_x = std::max(of_x, std::abs(value));
  for (const double value : r) worst = std::max(worst, std::abs(value));
  return worst / (of_a * of_x);
}

std::shared_ptr<const SparseAnalysis> analysis_of(const Csr<double>& matrix, Factorization kind,
                                                  Ordering ordering = Ordering::automatic) {
  return std::make_shared<SparseAnalysis>(
      analyse_sparse(matrix, kind, ordering, !has_strong_diagonal(matrix)));
}

template <typename T>
std::vector<double> solved(const SparseElimination<T>& elimination, bool transposed, Index columns,
                           const std::vector<double>& b) {
  std::vector<T> right(b.begin(), b.end()), x;
  elimination.solve(transposed, columns, right, x);
  return {x.begin(), x.end()};
}

TEST(SparseFronts, HoldTheFillOfTheElimination) {
  for_cases([](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = analysis_of(matrix, kind);
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
    for (const Coupling& entry : analysis->couplings.entries) couples[entry.source] = true;
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

TEST(SparseElimination, SolvesWithTheMatrixAndItsTranspose) {
  for_cases([](const Csr<double>& matrix, Factorization kind) {
    SparseElimination<double> elimination(analysis_of(matrix, kind));
    const PivotCounts counts = elimination.factor(kind, matrix.values);
    ASSERT_EQ(counts.failed, -1);
    for (const Index columns : {1, 3, 20}) {
      const std::vector<double> b = numbers(matrix.rows * columns);
      for (const bool transposed : {false, true}) {
        const std::vector<double> x = solved(elimination, transposed, columns, b);
        EXPECT_LT(residual(matrix, transposed, columns, b, x), counts.perturbed > 0 ? 1e-4 : 1e-11)
            << columns << " columns, transposed " << transposed;
      }
    }
  });
}

TEST(SparseElimination, SolvesInFloat) {
  for (const char* spec : {"grid2d:30", "grid3d:7"}) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      SparseElimination<float> elimination(analysis_of(matrix, kind));
      ASSERT_EQ(elimination.factor(kind, matrix.values).failed, -1);
      const std::vector<double> b = numbers(matrix.rows);
      EXPECT_LT(residual(matrix, false, 1, b, solved(elimination, false, 1, b)), 1e-5) << spec;
    }
  }
}

TEST(SparseElimination, GivesTheSameBitsWithAnyThreads) {
  const int threads = omp_get_max_threads();
  for (const char* spec : {"grid2d:90", "grid3d:16", "convdiff3d:14"}) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(matrix).symmetric) continue;
      const std::vector<double> b = numbers(2 * matrix.rows);
      std::vector<double> first;
      for (const int count : {1, 2, 4}) {
        omp_set_num_threads(count);
        SparseElimination<double> elimination(
            analysis_of(matrix, kind, Ordering::nested_dissection));
        elimination.factor(kind, matrix.values);
        ASSERT_EQ(omp_get_max_threads(), count) << "the BLAS on one thread is for fronts alone";
        std::vector<double> all = solved(elimination, false, 1, b);
        const std::vector<double> more = solved(elimination, true, 2, b);
        all.insert(all.end(), more.begin(), more.end());
        if (first.empty()) first = all;
        EXPECT_EQ(all, first) << spec << ", " << count << " threads";
      }
    }
  }
  omp_set_num_threads(threads);
}

TEST(SparseElimination, SharesItsWorkAmongThreads) {
  const auto analysis =
      analysis_of(generate_matrix("grid2d:90"), Factorization::cholesky, Ordering::automatic);
  const Schedule schedule = factor_schedule(analysis->fronts, Factorization::cholesky, 4);
  EXPECT_EQ(schedule.threads, 4);
  EXPECT_GE(schedule.subtrees.size(), 4u);
  std::vector<int> taken(schedule.subtrees.size(), 0);
  std::vector<int> by(4, 0);
  for_subtrees(schedule, [&](std::size_t i, int thread) {
    ++taken[i];
    by[thread] = omp_get_num_threads();
  });
  EXPECT_EQ(taken, std::vector<int>(taken.size(), 1));
  EXPECT_EQ(*std::max_element(by.begin(), by.end()), 4);
  EXPECT_THROW(for_subtrees(schedule, [](std::size_t, int) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(SparseElimination, OrderingsAllServe) {
  const Csr<double> matrix = generate_matrix("grid2d:25");
  for (std::size_t word = 0; word < found_ordering_words.size(); ++word) {
    const auto analysis = analysis_of(matrix, Factorization::cholesky, static_cast<Ordering>(word));
    EXPECT_NE(analysis->ordering, Ordering::automatic);
    SparseElimination<double> elimination(analysis);
    ASSERT_EQ(elimination.factor(Factorization::cholesky, matrix.values).failed, -1);
    const std::vector<double> b = numbers(matrix.rows);
    EXPECT_LT(residual(matrix, false, 1, b, solved(elimination, false, 1, b)), 1e-13)
        << ordering_words[word];
  }
}

TEST(SparseAnalysis, TakesAnOrderThatIsGiven) {
  for_cases([](const Csr<double>& matrix, Factorization kind) {
    const bool matches = !has_strong_diagonal(matrix);
    const SparseAnalysis found = analyse_sparse(matrix, kind, Ordering::nested_dissection, matches);
    const auto taken = std::make_shared<SparseAnalysis>(
        analyse_sparse(matrix, kind, Ordering::file, matches, found.order));
    EXPECT_EQ(taken->ordering, Ordering::file);
    EXPECT_EQ(taken->given, found.order);
    const Graph graph = graph_of(matrix.row_offsets, matrix.column_indices, found.row_of);
    EXPECT_EQ(cost_of(graph, taken->order).entries, cost_of(graph, found.order).entries);
    EXPECT_EQ(taken->factor_entries, found.factor_entries);
    SparseElimination<double> elimination(taken);
    ASSERT_EQ(elimination.factor(kind, matrix.values).failed, -1);
    const std::vector<double> b = numbers(matrix.rows);
    EXPECT_LT(residual(matrix, false, 1, b, solved(elimination, false, 1, b)), 1e-4);
  });
}

TEST(SparseElimination, NewValuesOfThePatternGiveWhatAFreshOneGives) {
  const Csr<double> matrix = generate_matrix("convdiff3d:8");
  Csr<double> other = matrix;
  for (std::size_t k = 0; k < other.values.size(); ++k) {
    other.values[k] *= 1 + 0.1 * unit_interval(random_bits(3, k));
  }
  const auto analysis = analysis_of(matrix, Factorization::lu);
  SparseElimination<double> again(analysis), fresh(analysis);
  again.factor(Factorization::lu, matrix.values);
  again.factor(Factorization::lu, other.values);
  fresh.factor(Factorization::lu, other.values);
  const std::vector<double> b = numbers(matrix.rows);
  EXPECT_EQ(solved(again, false, 1, b), solved(fresh, false, 1, b));
  EXPECT_TRUE(analysis->serves(other));
  EXPECT_FALSE(analysis->serves(generate_matrix("grid3d27:8:1")));
}

/// A + shift I.
Csr<double> shifted(Csr<double> matrix, double shift) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      if (matrix.column_indices[k] == i) matrix.values[k] += shift;
    }
  }
  return matrix;
}

TEST(SparseElimination, TellsTheInertia) {
  // Eigenvalues of the 5-point grid: 4 - 2 cos(i t) - 2 cos(j t), t = pi / (m + 1).
  const int m = 17;
  const double shift = 2.31, pi = std::acos(-1.0);
  Index negative = 0;
  for (int i = 1; i <= m; ++i) {
    for (int j = 1; j <= m; ++j) {
      const double t = pi / (m + 1);
      if (4 - 2 * std::cos(i * t) - 2 * std::cos(j * t) < shift) ++negative;
    }
  }
  const Csr<double> matrix = shifted(generate_matrix("grid2d:17"), -shift);
  const auto analysis = analysis_of(matrix, Factorization::ldlt);
  SparseElimination<double> elimination(analysis);
  EXPECT_EQ(elimination.factor(Factorization::ldlt, matrix.values).negative, negative);
  EXPECT_EQ(elimination.factor_with_threshold(Factorization::ldlt, matrix.values).counts.negative,
            negative);
  EXPECT_GE(elimination.factor(Factorization::cholesky, matrix.values).failed, 0);
}

void append(Coo& list, Index i, Index j, double value) {
  list.row.push_back(i);
  list.column.push_back(j);
  list.value.push_back(value);
}

/// [e I  B; B^T  e I] with tiny e and B of full rank: in its natural order the first half of the
/// fronts has tiny pivots only, as all else is in their borders.
Csr<double> tiny_diagonals(Index half) {
  constexpr Index couplings = 12;
  Coo list;
  list.rows = list.columns = 2 * half;
  for (Index k = 0; k < half; ++k) {
    append(list, k, k, 1e-14);
    append(list, half + k, half + k, 1e-14);
    for (Index c = 0; c < couplings; ++c) {
      const Index to = half + (k + c * (c + 7)) % half;
      const double value = c == 0 ? 8 : unit_interval(random_bits(k, c));
      append(list, k, to, value);
      append(list, to, k, value);
    }
  }
  return csr_from_coo(std::move(list));
}

TEST(SparseElimination, CountsPerturbedPivotsAndDelaysThemWithThresholds) {
  const Csr<double> matrix = tiny_diagonals(300);
  for (const Factorization kind : {Factorization::ldlt, Factorization::lu}) {
    // Without matching, which would move them off the diagonal beforehand.
    const auto analysis =
        std::make_shared<SparseAnalysis>(analyse_sparse(matrix, kind, Ordering::natural, false));
    SparseElimination<double> elimination(analysis);
    EXPECT_GT(elimination.factor(kind, matrix.values).perturbed, 0);
    const ThresholdOutcome& outcome = elimination.factor_with_threshold(kind, matrix.values);
    EXPECT_GT(outcome.delayed, 0);
    EXPECT_TRUE(outcome.rows.empty());
    for (const Index columns : {1, 4}) {
      const std::vector<double> b = numbers(matrix.rows * columns);
      for (const bool transposed : {false, true}) {
        EXPECT_LT(
            residual(matrix, transposed, columns, b, solved(elimination, transposed, columns, b)),
            1e-13);
      }
    }
  }
}

TEST(SparseElimination, ThresholdsServeOrdinaryMatricesToo) {
  for_cases([](const Csr<double>& matrix, Factorization kind) {
    if (kind == Factorization::cholesky) return;
    SparseElimination<double> elimination(analysis_of(matrix, kind));
    const ThresholdOutcome& outcome = elimination.factor_with_threshold(kind, matrix.values);
    ASSERT_TRUE(outcome.rows.empty());
    const std::vector<double> b = numbers(matrix.rows);
    for (const bool transposed : {false, true}) {
      EXPECT_LT(residual(matrix, transposed, 1, b, solved(elimination, transposed, 1, b)), 1e-10);
    }
  });
}

TEST(SparseElimination, NamesRowsWithoutAPivot) {
  // A grid whose last row and column are those before: rank n - 1.
  Csr<double> matrix = generate_matrix("grid2d:12");
  const Dense<double> full = dense(matrix);
  Coo list;
  const Index n = matrix.rows;
  list.rows = list.columns = n + 1;
  const auto twin = [&](Index i) { return i == n ? n - 1 : i; };
  for (Index i = 0; i <= n; ++i) {
    for (Index j = 0; j <= n; ++j) {
      const double value = full(twin(i), twin(j));
      if (value != 0) append(list, i, j, value);
    }
  }
  const Csr<double> singular = csr_from_coo(std::move(list));
  for (const Factorization kind : {Factorization::ldlt, Factorization::lu}) {
    SparseElimination<double> elimination(analysis_of(singular, kind));
    const ThresholdOutcome& outcome = elimination.factor_with_threshold(kind, singular.values);
    EXPECT_EQ(outcome.rows.size(), 1u);
    EXPECT_EQ(outcome.columns.size(), 1u);
  }
}

TEST(SparseAnalysis, NamesRowsAndColumnsOfStructurallySingularMatrices) {
  Coo list;
  list.rows = list.columns = 4;
  for (const auto& [i, j] : {std::pair{0, 0}, {1, 0}, {2, 1}, {3, 2}, {3, 3}}) {
    append(list, i, j, 1);
  }
  try {
    analyse_sparse(csr_from_coo(std::move(list)), Factorization::lu, Ordering::automatic, true);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_trustworthy);
    EXPECT_NE(std::string(error.what()).find("only 3 of 4 rows"), std::string::npos)
        << error.what();
  }
}

TEST(SparseAnalysis, IsKeptInAFile) {
  const test::TemporaryFolder folder;
  for_cases([&](const Csr<double>& matrix, Factorization kind) {
    const auto analysis = analysis_of(matrix, kind);
    save_analysis(folder / "a.analysis", *analysis);
    const auto kept = std::make_shared<SparseAnalysis>(load_analysis(folder / "a.analysis"));
    EXPECT_TRUE(kept->serves(matrix));
    EXPECT_EQ(kept->order, analysis->order);
    EXPECT_EQ(kept->ordering, analysis->ordering);
    SparseElimination<double> first(analysis), second(kept);
    first.factor(kind, matrix.values);
    second.factor(kind, matrix.values);
    const std::vector<double> b = numbers(matrix.rows);
    EXPECT_EQ(solved(first, false, 1, b), solved(second, false, 1, b));
  });
}

TEST(SparseAnalysis, KeepsAGivenOrderThatPartsTwins) {
  // 0 and 1 have the same neighbours; 2 is between them and 3, 4, 5.
  Coo list;
  list.rows = list.columns = 6;
  for (Index i = 0; i < 6; ++i) append(list, i, i, 8);
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}, {2, 3}, {2, 4}, {2, 5}}) {
    append(list, i, j, 1);
    append(list, j, i, 1);
  }
  const Csr<double> matrix = csr_from_coo(std::move(list));
  const Graph graph = graph_of(matrix.row_offsets, matrix.column_indices);
  const auto entries = [&](const std::vector<LocalIndex>& order) {
    const SparseAnalysis analysis =
        analyse_sparse(matrix, Factorization::cholesky, Ordering::file, false, order);
    return cost_of(graph, analysis.order).entries;
  };
  EXPECT_EQ(entries({0, 2, 1, 3, 4, 5}), 18);
  EXPECT_EQ(entries({0, 1, 2, 3, 4, 5}), 15);
  EXPECT_EQ(entries({3, 4, 5, 0, 1, 2}), 12);
}

TEST(SparseAnalysis, IsMadeAnewForAnotherOrder) {
  const test::TemporaryFolder folder;
  const Csr<double> matrix = generate_matrix("grid2d:3");
  SolverOptions options;
  options.method = Method::sparse_cholesky;
  options.analysis_file = folder / "a.analysis";
  SoloTeam team;
  const auto study = [&](Ordering ordering, const std::string& text = "") {
    options.ordering = ordering;
    if (ordering == Ordering::file) options.ordering_file = folder.write("order.txt", text);
    return study_sparsity(team, matrix, options).analysis;
  };
  const auto made = study(Ordering::file, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  EXPECT_EQ(made->given.front(), 0);
  const auto other = study(Ordering::file, "9\n8\n7\n6\n5\n4\n3\n2\n1\n");
  EXPECT_EQ(other->given.front(), 8);
  // auto takes what is kept.
  EXPECT_EQ(study(Ordering::automatic)->given, other->given);
  EXPECT_EQ(study(Ordering::amd)->ordering, Ordering::amd);
  EXPECT_EQ(study(Ordering::automatic)->ordering, Ordering::amd);
  options.ordering_file.clear();
  options.ordering = Ordering::file;
  EXPECT_THROW(study_sparsity(team, matrix, options), Error);
}

/// What may be wrong with an analysis, and the words for it.
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
    {"of a matrix", [](SparseAnalysis& a) { a.entries.entries[3].source = -1; }},
    {"of a matrix", [](SparseAnalysis& a) { a.entries.entries[3].source = a.nonzeros; }},
    {"of a matrix", [](SparseAnalysis& a) { ++a.entries.entries[3].source; }},
    {"of a matrix", [](SparseAnalysis& a) { a.nonzeros = Index{1} << 60; }},
    {"of a matrix", [](SparseAnalysis& a) { a.nonzeros *= 2; }, Factorization::cholesky},
};

TEST(SparseAnalysis, RefusesFilesThatAreNone) {
  const test::TemporaryFolder folder;
  const Csr<double> matrix = generate_matrix("grid2d:12");
  const auto refusal = [&](const SparseAnalysis& analysis) {
    save_analysis(folder / "a.analysis", analysis);
    try {
      load_analysis(folder / "a.analysis");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      return std::string(error.what());
    }
    return std::string();
  };
  for (const Spoilt& one : spoilt_analyses) {
    SparseAnalysis spoilt = *analysis_of(matrix, one.kind);
    one.spoil(spoilt);
    const std::string said = refusal(spoilt);
    EXPECT_NE(said.find(one.words), std::string::npos)
        << "row " << &one - spoilt_analyses << ": " << said;
  }
}

TEST(SparseAnalysis, RefusesDamagedFiles) {
  const test::TemporaryFolder folder;
  const auto analysis = analysis_of(generate_matrix("grid2d:12"), Factorization::lu);
  // Every byte of the file is under a checksum.
  save_analysis(folder / "a.analysis", *analysis);
  std::ifstream in(folder / "a.analysis", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < bytes.size(); at += 997) {
    std::string spoilt = bytes;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0x10);
    EXPECT_THROW(load_analysis(folder.write("b.analysis", spoilt)), Error) << at;
    EXPECT_THROW(load_analysis(folder.write("c.analysis", bytes.substr(0, at))), Error) << at;
  }
}

TEST(SparseAnalysis, SeesStrongDiagonals) {
  EXPECT_TRUE(has_strong_diagonal(generate_matrix("grid2d:9")));
  EXPECT_TRUE(has_strong_diagonal(generate_matrix("convdiff3d:5")));
  EXPECT_FALSE(has_strong_diagonal(shifted(generate_matrix("grid2d:9"), -4)));
  EXPECT_FALSE(has_strong_diagonal(generate_matrix("circuit:200")));
}

TEST(SparseScaling, LeavesRowsWithoutADiagonalEntryAsTheyAre) {
  Coo list;
  list.rows = list.columns = 3;
  append(list, 1, 1, 16);
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    append(list, i, j, 0x1p40);
    append(list, j, i, 0x1p40);
  }
  const Csr<double> matrix = csr_from_coo(std::move(list));
  const SparseAnalysis analysis =
      analyse_sparse(matrix, Factorization::cholesky, Ordering::natural, false);
  const Dense<double> factors = scale_factors(matrix, analysis, AutoSwitch::on, Precision::float64);
  for (const Index side : {0, 1}) {
    EXPECT_EQ(factors(0, side), 1);
    EXPECT_EQ(factors(1, side), 0.25);
    EXPECT_EQ(factors(2, side), 1);
  }
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

}  // namespace
}  // namespace spsolve
