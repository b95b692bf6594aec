#include "sparse/matching/matching.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/random_entries.hpp"
#include "helpers/reference.hpp"
#include "helpers/test_matrices.hpp"
#include "helpers/threads.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "sparse/matching/block_triangular_form.hpp"
#include "sparse/pattern/clean.hpp"

namespace spsolve {
namespace {

/// sum of log2 |a_ij| over the matching; -infinite where it names a zero.
double logarithm_of(const Dense<double>& dense, const std::vector<LocalIndex>& row_of_column) {
  double sum = 0;
  for (Index j = 0; j < dense.columns; ++j) sum += std::log2(std::abs(dense(row_of_column[j], j)));
  return sum;
}

Dense<double> logarithms_of(const Dense<double>& dense) {
  Dense<double> logarithms = dense;
  for (double& value : logarithms.values) value = std::log2(std::abs(value));
  return logarithms;
}

/// The largest of all permutations.
double largest_by_trying(const Dense<double>& dense) {
  std::vector<LocalIndex> order(static_cast<std::size_t>(dense.rows));
  std::iota(order.begin(), order.end(), 0);
  const Dense<double> logarithms = logarithms_of(dense);
  double largest = -std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (Index j = 0; j < dense.columns; ++j) sum += logarithms(order[j], j);
    largest = std::max(largest, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return largest;
}

void expect_permutation(const std::vector<LocalIndex>& order) {
  std::vector<LocalIndex> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) ASSERT_EQ(sorted[k], static_cast<LocalIndex>(k));
}

/// The promises of the header about scale factors.
void expect_scaled(const Csr<double>& matrix, const MaximumProductMatching& matching) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const LocalIndex j = matrix.column_indices[k];
      if (matrix.values[k] == 0) continue;
      // Taken in this order it does not overflow.
      const double scaled = std::abs(matrix.values[k] * (matching.rows[i] * matching.columns[j]));
      ASSERT_LE(scaled, 2 + 1e-9) << i << ", " << j;
      if (matching.row_of_column[j] == i) {
        ASSERT_GE(scaled, 0.5 - 1e-9) << i << ", " << j;
      }
    }
  }
}

TEST(MaximumProductMatching, IsTheBestOfAllPermutations) {
  int nonsingular = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 7);
    const Dense<double> dense = test::random_dense_of(n, 0.3 + 0.1 * static_cast<double>(seed % 6),
                                                      seed % 2 ? 4 : 60, seed);
    const Csr<double> matrix = test::sparse(dense);
    const MaximumProductMatching matching = maximum_product_matching(matrix);
    expect_permutation(matching.row_of_column);
    expect_scaled(matrix, matching);
    const double largest = largest_by_trying(dense);
    EXPECT_EQ(matching.rank == n, std::isfinite(largest)) << seed;
    EXPECT_EQ(static_cast<LocalIndex>(matching.unmatched_rows.size()), n - matching.rank);
    EXPECT_EQ(static_cast<LocalIndex>(matching.unmatched_columns.size()), n - matching.rank);
    if (matching.rank < n) continue;
    ++nonsingular;
    EXPECT_NEAR(logarithm_of(dense, matching.row_of_column), largest, 1e-9) << seed;
  }
  EXPECT_GT(nonsingular, 100);
}

/// The largest sum of logarithms by the Hungarian method on the dense matrix (Kuhn 1955, Munkres
/// 1957; row by row in n^3 steps), for structurally nonsingular matrices.
double largest_by_hungarian(const Dense<double>& dense) {
  const Index n = dense.rows;
  const Dense<double> logarithms = logarithms_of(dense);
  constexpr double missing = 1e6;  // the cost of a zero, more than all others together
  const auto cost = [&](Index i, Index j) {
    return dense(i, j) == 0 ? missing : -logarithms(i, j);
  };
  // Row and column n stand for what is not there yet.
  std::vector<double> u(n + 1, 0.0), v(n + 1, 0.0);
  std::vector<Index> row_of(n + 1, n), before(n + 1, n);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> slack(n + 1, std::numeric_limits<double>::infinity());
    std::vector<char> done(n + 1, 0);
    Index column = n;
    row_of[n] = i;
    do {
      done[column] = 1;
      const Index row = row_of[column];
      Index next = n;
      double delta = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < n; ++j) {
        if (done[j]) continue;
        const double reduced = cost(row, j) - u[row] - v[j];
        if (reduced < slack[j]) {
          slack[j] = reduced;
          before[j] = column;
        }
        if (slack[j] < delta) {
          delta = slack[j];
          next = j;
        }
      }
      for (Index j = 0; j <= n; ++j) {
        if (done[j]) {
          u[row_of[j]] += delta;
          v[j] -= delta;
        } else {
          slack[j] -= delta;
        }
      }
      column = next;
    } while (row_of[column] != n);
    for (; column != n; column = before[column]) row_of[column] = row_of[before[column]];
    row_of[n] = n;
  }
  double sum = 0;
  for (Index j = 0; j < n; ++j) sum -= cost(row_of[j], j);
  return sum;
}

TEST(MaximumProductMatching, IsAsGoodAsTheHungarianMethod) {
  int nonsingular = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Index n = 20 + 8 * static_cast<Index>(seed % 12);
    const double density = (3 + static_cast<double>(seed % 5)) / static_cast<double>(n);
    const Dense<double> dense = test::random_dense_of(n, density, seed % 2 ? 2 : 24, 1000 + seed);
    const Csr<double> matrix = test::sparse(dense);
    const MaximumProductMatching matching = maximum_product_matching(matrix);
    expect_permutation(matching.row_of_column);
    expect_scaled(matrix, matching);
    if (matching.rank < n) continue;
    ++nonsingular;
    EXPECT_NEAR(logarithm_of(dense, matching.row_of_column), largest_by_hungarian(dense), 1e-8);
  }
  EXPECT_GT(nonsingular, 5);
}

/// Row i of A becomes row order[i], column j column second[j], with random powers of ten of up to
/// `decades` on rows and columns.
Csr<double> disguised(const Csr<double>& matrix, double decades, std::vector<LocalIndex>& order,
                      std::vector<LocalIndex>& second) {
  const Index n = matrix.rows;
  const auto shuffled = [&](std::uint64_t seed) {
    std::vector<LocalIndex> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    for (Index i = n - 1; i > 0; --i) {
      std::swap(numbers[i],
                numbers[random_below(random_bits(seed, static_cast<std::uint64_t>(i)), i + 1)]);
    }
    return numbers;
  };
  order = shuffled(1);
  second = shuffled(2);
  const auto factor = [&](std::uint64_t seed, Index i) {
    return std::pow(10.0,
                    decades * symmetric_interval(random_bits(seed, static_cast<std::uint64_t>(i))));
  };
  Coo coo;
  coo.rows = coo.columns = n;
  for (Index i = 0; i < n; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const Index j = matrix.column_indices[k];
      coo.row.push_back(order[i]);
      coo.column.push_back(second[j]);
      coo.value.push_back(matrix.values[k] * factor(3, i) * factor(4, j));
    }
  }
  return csr_from_coo(std::move(coo));
}

TEST(MaximumProductMatching, FindsAPermutedBadlyScaledDiagonal) {
  for (const double decades : {0.0, 3.0, 100.0}) {
    std::vector<LocalIndex> rows, columns;
    const Csr<double> matrix = disguised(generate_matrix("grid2d:40"), decades, rows, columns);
    const MaximumProductMatching matching = maximum_product_matching(matrix);
    EXPECT_EQ(matching.rank, 1600);
    expect_scaled(matrix, matching);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(matching.row_of_column[columns[i]], rows[i]);
    }
  }
}

TEST(MaximumProductMatching, KeepsTheDiagonalWhereItIsBest) {
  std::vector<Csr<double>> matrices{generate_matrix("grid2d:30"), generate_matrix("grid3d27:5:2")};
  Dense<double> ones(6, 6);
  for (double& value : ones.values) value = 1;
  matrices.push_back(test::sparse(ones));
  // A diagonal that dominates once rows and columns are scaled, by 40 decades.
  Csr<double> scaled = generate_matrix("grid2d:20");
  for (Index i = 0; i < scaled.rows; ++i) {
    for (Index k = scaled.row_offsets[i]; k < scaled.row_offsets[i + 1]; ++k) {
      const auto power = [&](Index index) {
        return 20 * symmetric_interval(random_bits(9, static_cast<std::uint64_t>(index)));
      };
      scaled.values[k] *= std::pow(10.0, power(i) - power(1000 + scaled.column_indices[k]));
    }
  }
  matrices.push_back(scaled);
  for (const Csr<double>& matrix : matrices) {
    const MaximumProductMatching matching = maximum_product_matching(matrix);
    expect_scaled(matrix, matching);
    for (LocalIndex j = 0; j < static_cast<LocalIndex>(matrix.rows); ++j) {
      ASSERT_EQ(matching.row_of_column[j], j);
    }
  }
}

TEST(MaximumProductMatching, OfAllDecadesOfADouble) {
  // Alone these factors would be 2^1074 and 2^-1023.
  Dense<double> dense(3, 3);
  dense(0, 2) = std::numeric_limits<double>::denorm_min();
  dense(1, 0) = std::numeric_limits<double>::max();
  dense(2, 1) = -1e-310;
  const Csr<double> matrix = test::sparse(dense);
  const MaximumProductMatching matching = maximum_product_matching(matrix);
  EXPECT_EQ(matching.row_of_column, (std::vector<LocalIndex>{1, 2, 0}));
  for (Index j = 0; j < 3; ++j) {
    const LocalIndex i = matching.row_of_column[j];
    EXPECT_GE(std::abs(dense(i, j)) * matching.rows[i] * matching.columns[j], 0.5);
    EXPECT_LE(std::abs(dense(i, j)) * matching.rows[i] * matching.columns[j], 2);
  }
  // Factors that grow by 2^900 from one row to the next cannot all be had.
  Dense<double> chain(5, 5);
  for (Index i = 0; i < 5; ++i) {
    chain(i, i) = 1;
    if (i > 0) chain(i, i - 1) = 0x1p900;
  }
  const MaximumProductMatching limited = maximum_product_matching(test::sparse(chain));
  for (LocalIndex i = 0; i < 5; ++i) {
    EXPECT_EQ(limited.row_of_column[i], i);
    EXPECT_TRUE(limited.rows[i] >= 0x1p-1000 && limited.rows[i] <= 0x1p1000);
    EXPECT_TRUE(limited.columns[i] >= 0x1p-1000 && limited.columns[i] <= 0x1p1000);
  }
}

TEST(MaximumProductMatching, OfTheSmallest) {
  EXPECT_EQ(maximum_product_matching(Csr<double>{}).rank, 0);
  Dense<double> one(1, 1);
  EXPECT_EQ(maximum_product_matching(test::sparse(one)).unmatched_rows, std::vector<LocalIndex>{0});
  one(0, 0) = -8;
  const MaximumProductMatching matching = maximum_product_matching(test::sparse(one));
  EXPECT_EQ(matching.rank, 1);
  EXPECT_EQ(matching.rows[0] * matching.columns[0], 0.125);
  EXPECT_THROW(maximum_product_matching(generate_matrix("random_sparse:4:5:2")), Error);
}

TEST(MaximumProductMatching, NamesWhatIsNotMatched) {
  Dense<double> dense(5, 5);
  dense(0, 0) = dense(1, 0) = dense(2, 0) = dense(3, 3) = 1;
  dense(3, 1) = 2;
  Csr<double> matrix = test::sparse(dense);
  const MaximumProductMatching matching = maximum_product_matching(matrix);
  EXPECT_EQ(matching.rank, 2);
  EXPECT_EQ(matching.unmatched_rows.size(), 3u);
  EXPECT_EQ(matching.unmatched_columns.size(), 3u);
  for (const LocalIndex j : {2, 4}) {
    EXPECT_EQ(std::count(matching.unmatched_columns.begin(), matching.unmatched_columns.end(), j),
              1);
  }
  expect_permutation(matching.row_of_column);
  // Stored zeros are no entries.
  for (double& value : matrix.values) value = 0;
  EXPECT_EQ(maximum_product_matching(matrix).rank, 0);
}

TEST(MaximumProductMatching, OfDenseRowsAndColumns) {
  // An arrow without its diagonal but for the first entry: rows 1 ... n - 1 have column 0 and two
  // more, row 0 has all.
  const Index n = 3000;
  Coo coo;
  coo.rows = coo.columns = n;
  const auto add = [&](Index i, Index j, double value) {
    coo.row.push_back(i);
    coo.column.push_back(j);
    coo.value.push_back(value);
  };
  for (Index j = 0; j < n; ++j) add(0, j, 1e3);
  for (Index i = 1; i < n; ++i) {
    add(i, 0, 1e3);
    add(i, (i + 1) % n == 0 ? 1 : (i + 1) % n, 2);
    add(i, i, 1);
  }
  const Csr<double> matrix = csr_from_coo(coo);
  const MaximumProductMatching matching = maximum_product_matching(matrix);
  EXPECT_EQ(matching.rank, n);
  expect_scaled(matrix, matching);
  // Two entries of 1000 at the best, and all others of 2.
  double sum = 0;
  for (LocalIndex j = 0; j < n; ++j) {
    const auto columns = matrix.row_columns(matching.row_of_column[j]);
    const auto place = std::lower_bound(columns.begin(), columns.end(), j) - columns.begin();
    sum += std::log2(matrix.row_values(matching.row_of_column[j])[place]);
  }
  EXPECT_NEAR(sum, 2 * std::log2(1e3) + static_cast<double>(n - 2), 1e-6);
}

TEST(MaximumProductMatching, IsTheSameForAllThreads) {
  const Csr<double> matrix = generate_matrix("random_sparse:6000:6000:4");
  test::Threads lent(1);
  const MaximumProductMatching alone = maximum_product_matching(matrix);
  for (const int threads : {2, 4}) {
    lent.set(threads);
    const MaximumProductMatching matching = maximum_product_matching(matrix);
    EXPECT_EQ(matching.row_of_column, alone.row_of_column);
    EXPECT_EQ(matching.rows, alone.rows);
    EXPECT_EQ(matching.columns, alone.columns);
  }
  EXPECT_LT(alone.rank, 6000);  // with forests that reach nothing, too
  expect_scaled(matrix, alone);
}

TEST(MaximumProductMatching, OfRealMatrices) {
  test::for_real_matrices(
      {"memplus.mtx", "rajat19.mtx", "mahindas.mtx", "west0497.mtx", "bp_800.mtx", "mbeacxc.mtx",
       "adder_dcop_05.mtx", "mhd4800a.mtx", "nontrivial_mc64_example.mtx",
       "random_general_int_2.mtx", "impcol_d.mtx", "bcsstm13.mtx"},
      [](const std::string&, const Csr<double>& matrix) {
        if (matrix.rows != matrix.columns) return false;
        const MaximumProductMatching matching = maximum_product_matching(matrix);
        expect_permutation(matching.row_of_column);
        expect_scaled(matrix, matching);
        // Which proves that no matching is larger.
        const StructuralDefect defect = structural_defect(
            matrix, matching.row_of_column, matching.unmatched_rows, matching.unmatched_columns);
        EXPECT_EQ(static_cast<Index>(defect.rows.size() - defect.few_columns.size()),
                  matrix.rows - matching.rank);
        return true;
      });
}

}  // namespace
}  // namespace spsolve
