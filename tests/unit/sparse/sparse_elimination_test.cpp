#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "helpers/coo.hpp"
#include "helpers/reference.hpp"
#include "helpers/sparse_cases.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/sweeps/tree_parts.hpp"

namespace spsolve {
namespace {

TEST(SparseElimination, SolvesWithTheMatrixAndItsTranspose) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    test::WholeElimination<double> elimination(test::analysis_of(matrix, kind));
    const PivotCounts counts = elimination.factor(kind, matrix.values);
    ASSERT_EQ(counts.failed, -1);
    for (const Index columns : {1, 3, 20}) {
      for (const bool transposed : {false, true}) {
        EXPECT_LT(test::error_of_solve(matrix, elimination, transposed, columns),
                  counts.perturbed > 0 ? 1e-4 : 1e-11)
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
      test::WholeElimination<float> elimination(test::analysis_of(matrix, kind));
      ASSERT_EQ(elimination.factor(kind, matrix.values).failed, -1);
      EXPECT_LT(test::error_of_solve(matrix, elimination, false, 1), 1e-5) << spec;
    }
  }
}

TEST(SparseElimination, GivesTheSameBitsWithAnyThreads) {
  const int threads = omp_get_max_threads();
  for (const char* spec : {"grid2d:90", "grid3d:16", "convdiff3d:14", "circuit:20000"}) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(matrix).symmetric) continue;
      const Dense<double> one = test::right_hand_sides(matrix.rows, 1);
      const Dense<double> two = test::right_hand_sides(matrix.rows, 2);
      std::vector<double> first;
      for (const int count : {1, 2, 4}) {
        omp_set_num_threads(count);
        test::WholeElimination<double> elimination(
            test::analysis_of(matrix, kind, Ordering::nested_dissection));
        elimination.factor(kind, matrix.values);
        ASSERT_EQ(omp_get_max_threads(), count) << "the BLAS on one thread is for fronts alone";
        std::vector<double> all = test::solved(elimination, false, one).values;
        const std::vector<double> more = test::solved(elimination, true, two).values;
        all.insert(all.end(), more.begin(), more.end());
        if (first.empty()) first = all;
        EXPECT_EQ(all, first) << spec << ", " << count << " threads";
      }
    }
  }
  omp_set_num_threads(threads);
}

TEST(SparseElimination, MakesItsStacksAgainWhereTheyWereLetGo) {
  const Csr<double> matrix = generate_matrix("convdiff3d:14");
  test::WholeElimination<double> elimination(test::analysis_of(matrix, Factorization::lu));
  const Dense<double> b = test::right_hand_sides(matrix.rows, 1);
  elimination.factor(Factorization::lu, matrix.values);
  const std::vector<double> x = test::solved(elimination, false, b).values;
  elimination.release_stacks();
  EXPECT_EQ(test::solved(elimination, false, b).values, x) << "factors stay";
  elimination.factor(Factorization::lu, matrix.values);
  EXPECT_EQ(test::solved(elimination, false, b).values, x);
}

TEST(SparseElimination, SharesItsWorkAmongThreads) {
  const auto analysis =
      test::analysis_of(generate_matrix("grid2d:90"), Factorization::cholesky, Ordering::automatic);
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

TEST(SparseElimination, TakesSmallSubtreesTogether) {
  for (const char* spec : {"circuit:20000", "grid2d:90"}) {
    const auto analysis = test::analysis_of(generate_matrix(spec), Factorization::lu);
    const Fronts& fronts = analysis->fronts;
    const std::vector<double> work = front_work(fronts, false);
    const Schedule schedule = cut_subtrees(fronts, work, 1e-5);
    constexpr double share = 0.02;
    const std::vector<TreePart> parts = tree_parts(fronts, schedule, work, share);
    EXPECT_LT(parts.size(), schedule.subtrees.size()) << spec;
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    std::vector<int> taken(work.size(), 0);
    for (const LocalIndex s : schedule.upper) ++taken[s];
    double before = all;
    for (const TreePart& part : parts) {
      std::set<LocalIndex> above;
      double of_part = 0;
      for (LocalIndex s = part.first; s <= part.last; ++s) {
        ++taken[s];
        of_part += work[s];
        for (const LocalIndex row : fronts.border_of(s)) {
          if (row >= fronts.first[part.last + 1]) above.insert(row);
        }
      }
      EXPECT_EQ(part.border, std::vector<LocalIndex>(above.begin(), above.end()));
      EXPECT_LE(of_part, share * all);
      EXPECT_LE(of_part, before * (1 + 1e-12)) << "the most work first";
      before = of_part;
    }
    EXPECT_EQ(taken, std::vector<int>(taken.size(), 1)) << "every front once, " << spec;
  }
}

TEST(SparseElimination, SymmetricFrontsPassUpLittleMoreThanHalf) {
  const auto analysis = test::analysis_of(generate_matrix("grid3d:20"), Factorization::cholesky,
                                          Ordering::nested_dissection);
  const auto stack = [&](Factorization kind) {
    const Schedule schedule = factor_schedule(analysis->fronts, kind, 1);
    return static_cast<double>(factor_memory(analysis->fronts, kind, schedule, 8).stack);
  };
  EXPECT_LT(stack(Factorization::cholesky), 0.62 * stack(Factorization::lu));
  EXPECT_GT(stack(Factorization::cholesky), 0.5 * stack(Factorization::lu));
  EXPECT_GT(stack(Factorization::ldlt), stack(Factorization::cholesky)) << "scratch";
}

TEST(SparseElimination, OrderingsAllServe) {
  const Csr<double> matrix = generate_matrix("grid2d:25");
  for (std::size_t word = 0; word < found_ordering_words.size(); ++word) {
    const auto analysis =
        test::analysis_of(matrix, Factorization::cholesky, static_cast<Ordering>(word));
    EXPECT_NE(analysis->ordering, Ordering::automatic);
    test::WholeElimination<double> elimination(analysis);
    ASSERT_EQ(elimination.factor(Factorization::cholesky, matrix.values).failed, -1);
    EXPECT_LT(test::error_of_solve(matrix, elimination, false, 1), 1e-13) << ordering_words[word];
  }
}

TEST(SparseElimination, NewValuesOfThePatternGiveWhatAFreshOneGives) {
  const Csr<double> matrix = generate_matrix("convdiff3d:8");
  Csr<double> other = matrix;
  for (std::size_t k = 0; k < other.values.size(); ++k) {
    other.values[k] *= 1 + 0.1 * unit_interval(random_bits(3, k));
  }
  const auto analysis = test::analysis_of(matrix, Factorization::lu);
  test::WholeElimination<double> again(analysis), fresh(analysis);
  again.factor(Factorization::lu, matrix.values);
  again.factor(Factorization::lu, other.values);
  fresh.factor(Factorization::lu, other.values);
  const Dense<double> b = test::right_hand_sides(matrix.rows, 1);
  EXPECT_EQ(test::solved(again, false, b).values, test::solved(fresh, false, b).values);
  EXPECT_TRUE(analysis->serves(other));
  EXPECT_FALSE(analysis->serves(generate_matrix("grid3d27:8:1")));
}

TEST(SparseElimination, ARankAloneCopiesNothing) {
  const Csr<double> matrix = generate_matrix("circuit:500");
  const auto analysis = test::analysis_of(matrix, Factorization::lu);
  SoloTeam team;
  const TreePartition tree = deal_analysis(team, analysis, Factorization::lu, SharingRule{});
  EXPECT_EQ(&tree.own(), &analysis->fronts);
  EXPECT_EQ(&tree.own_entries(), &analysis->entries);
  EXPECT_LT(tree.bytes(), analysis->bytes() / 100);
  ValueDealer dealer(team, analysis.get(), tree);
  EXPECT_EQ(&dealer.deal(matrix.values), &matrix.values);
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
  const Csr<double> matrix = test::shifted(generate_matrix("grid2d:17"), -shift);
  const auto analysis = test::analysis_of(matrix, Factorization::ldlt);
  test::WholeElimination<double> elimination(analysis);
  EXPECT_EQ(elimination.factor(Factorization::ldlt, matrix.values).negative, negative);
  EXPECT_EQ(elimination.factor_with_threshold(Factorization::ldlt, matrix.values).counts.negative,
            negative);
  EXPECT_GE(elimination.factor(Factorization::cholesky, matrix.values).failed, 0);
}

/// [e I  B; B^T  e I] with tiny e and B of full rank: in its natural order the first half of the
/// fronts has tiny pivots only, as all else is in their borders.
Csr<double> tiny_diagonals(Index half) {
  constexpr Index off_diagonal_blocks = 12;
  Coo list;
  list.rows = list.columns = 2 * half;
  for (Index k = 0; k < half; ++k) {
    test::add(list, k, k, 1e-14);
    test::add(list, half + k, half + k, 1e-14);
    for (Index c = 0; c < off_diagonal_blocks; ++c) {
      const Index to = half + (k + c * (c + 7)) % half;
      const double value = c == 0 ? 8 : unit_interval(random_bits(k, c));
      test::add(list, k, to, value);
      test::add(list, to, k, value);
    }
  }
  return csr_from_coo(std::move(list));
}

TEST(SparseElimination, TellsItsFlopsFrontByFrontAndInsideOfLargeOnes) {
  // A grid whose unknowns all meet 700 others, which meet each other: one large front above.
  const Dense<double> grid = test::dense(generate_matrix("grid2d:20"));
  const Index n = grid.rows, all = n + 700;
  Dense<double> full(all, all, 0.01);
  for (Index i = 0; i < all; ++i) {
    for (Index j = 0; j < n && i < n; ++j) full(i, j) = grid(i, j);
    full(i, i) = 100;
  }
  const Csr<double> matrix = test::sparse(full);
  for (const Factorization kind :
       {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
    const std::shared_ptr<const SparseAnalysis> analysis = test::analysis_of(matrix, kind);
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << threads);
      omp_set_num_threads(threads);
      test::WholeElimination<double> elimination(analysis);
      std::mutex mutex;
      double of_fronts = 0, of_parts = 0;
      Index fronts = 0, parts = 0;
      Advance advance([&](double flops) {
        const std::lock_guard lock(mutex);
        of_fronts += flops;
        ++fronts;
        EXPECT_GT(flops, -1);
      });
      advance.part = [&](double flops) {
        of_parts += flops;
        ++parts;
        EXPECT_GT(flops, 0);
      };
      EXPECT_LT(elimination.factor(kind, matrix.values, advance).failed, 0);
      EXPECT_EQ(fronts, analysis->fronts.size());
      EXPECT_GT(parts, 2);
      EXPECT_GT(of_parts, 0.5 * (of_parts + of_fronts));
      EXPECT_NEAR(of_parts + of_fronts, analysis->flops, 1e-6 * analysis->flops);
    }
  }
  omp_set_num_threads(omp_get_num_procs());
}

TEST(SparseElimination, CountsPerturbedPivotsAndDelaysThemWithThresholds) {
  const Csr<double> matrix = tiny_diagonals(300);
  for (const Factorization kind : {Factorization::ldlt, Factorization::lu}) {
    // Without matching, which would move them off the diagonal beforehand.
    const auto analysis = std::make_shared<SparseAnalysis>(
        analyse_sparse(matrix, kind, Ordering::natural, RowMatching::none));
    test::WholeElimination<double> elimination(analysis);
    EXPECT_GT(elimination.factor(kind, matrix.values).perturbed, 0);
    const ThresholdOutcome& outcome = elimination.factor_with_threshold(kind, matrix.values);
    EXPECT_GT(outcome.delayed, 0);
    EXPECT_TRUE(outcome.rows.empty());
    for (const Index columns : {1, 4}) {
      for (const bool transposed : {false, true}) {
        EXPECT_LT(test::error_of_solve(matrix, elimination, transposed, columns), 1e-13);
      }
    }
  }
}

TEST(SparseElimination, ThresholdsServeOrdinaryMatricesToo) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    if (kind == Factorization::cholesky) return;
    test::WholeElimination<double> elimination(test::analysis_of(matrix, kind));
    const ThresholdOutcome& outcome = elimination.factor_with_threshold(kind, matrix.values);
    ASSERT_TRUE(outcome.rows.empty());
    for (const bool transposed : {false, true}) {
      EXPECT_LT(test::error_of_solve(matrix, elimination, transposed, 1), 1e-10);
    }
  });
}

TEST(SparseElimination, NamesRowsWithoutAPivot) {
  // A grid whose last row and column are those before: rank n - 1.
  const Dense<double> grid = test::dense(generate_matrix("grid2d:12"));
  const Index n = grid.rows;
  Dense<double> full(n + 1, n + 1);
  const auto twin = [&](Index i) { return i == n ? n - 1 : i; };
  for (Index i = 0; i <= n; ++i) {
    for (Index j = 0; j <= n; ++j) full(i, j) = grid(twin(i), twin(j));
  }
  const Csr<double> singular = test::sparse(full);
  for (const Factorization kind : {Factorization::ldlt, Factorization::lu}) {
    test::WholeElimination<double> elimination(test::analysis_of(singular, kind));
    const ThresholdOutcome& outcome = elimination.factor_with_threshold(kind, singular.values);
    EXPECT_EQ(outcome.rows.size(), 1u);
    EXPECT_EQ(outcome.columns.size(), 1u);
  }
}

}  // namespace
}  // namespace spsolve
