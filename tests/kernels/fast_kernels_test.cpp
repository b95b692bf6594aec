// Cases that are special to the fast host kernels: cuts inside rows, classes of K, groups of equal
// rows, overlaps of symmetric parts, and the choice of auto.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/types.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"
#include "multiply/auto_product.hpp"
#include "multiply/fast/fast_csr.hpp"
#include "multiply/fast/fast_groups.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve {
namespace {

constexpr std::string_view fast_kernels[] = {
    "csr_balanced",     "csr_sorted", "csr_grouped",  "sliced_rows",
    "symmetric_halves", "row_types",  "complex_rows", "auto"};

/// A matrix of the given columns by row, with pseudo-random values.
Csr<double> with_pattern(Index columns, const std::vector<std::vector<LocalIndex>>& rows) {
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  Csr<double> matrix;
  matrix.rows = static_cast<Index>(rows.size());
  matrix.columns = columns;
  for (const auto& row : rows) {
    for (const LocalIndex column : row) {
      matrix.column_indices.push_back(column);
      matrix.values.push_back(value(random));
    }
    matrix.row_offsets.push_back(static_cast<Index>(matrix.values.size()));
  }
  return matrix;
}

/// Random columns, lengths from `shortest` to `longest`.
std::vector<std::vector<LocalIndex>> random_rows(Index rows, Index columns, int shortest,
                                                 int longest) {
  std::minstd_rand random(11);
  std::vector<std::vector<LocalIndex>> result(rows);
  for (auto& row : result) {
    const int length = std::uniform_int_distribution<int>(shortest, longest)(random);
    for (int k = 0; k < length; ++k) {
      row.push_back(std::uniform_int_distribution<LocalIndex>(
          0, static_cast<LocalIndex>(columns - 1))(random));
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return result;
}

std::vector<LocalIndex> all_columns(Index columns) {
  std::vector<LocalIndex> row(columns);
  for (Index j = 0; j < columns; ++j) row[j] = static_cast<LocalIndex>(j);
  return row;
}

/// A + A^T.
Csr<double> symmetrised(const Csr<double>& matrix) {
  Coo coo;
  coo.rows = coo.columns = matrix.rows;
  for (const Csr<double>& part : {matrix, transpose(matrix)}) {
    for (Index i = 0; i < part.rows; ++i) {
      for (Index k = part.row_offsets[i]; k < part.row_offsets[i + 1]; ++k) {
        coo.row.push_back(i);
        coo.column.push_back(part.column_indices[k]);
        coo.value.push_back(part.values[k]);
      }
    }
  }
  return csr_from_coo(coo);
}

template <typename T>
const Csr<T> as(const Csr<double>& matrix) {
  if constexpr (std::is_same_v<T, double>) {
    return matrix;
  } else {
    return csr_cast<T>(matrix);
  }
}

template <typename T>
std::vector<T> product_of(KernelProduct<T>& product, const Csr<T>& matrix, const std::vector<T>& x,
                          Index columns) {
  std::vector<T> y(matrix.rows * columns, std::numeric_limits<T>::quiet_NaN());
  product.multiply(x.data(), y.data(), columns);
  return y;
}

template <typename T>
std::vector<T> random_x(Index rows, Index columns) {
  const Dense<double> x = random_multivector(rows, columns, 5);
  return {x.values.begin(), x.values.end()};
}

/// |y - A x| <= (row length + 2) u |A| |x|, element by element, y having been NaN before.
template <typename T>
void expect_right(KernelProduct<T>& product, const Csr<T>& matrix, Index columns,
                  const std::string& what) {
  const double unit = std::numeric_limits<T>::epsilon() / 2;
  const std::vector<T> x = random_x<T>(matrix.columns, columns);
  const std::vector<T> y = product_of(product, matrix, x, columns);
  for (Index i = 0; i < matrix.rows; ++i) {
    const Index begin = matrix.row_offsets[i], end = matrix.row_offsets[i + 1];
    for (Index c = 0; c < columns; ++c) {
      long double sum = 0, magnitude = 0;
      for (Index k = begin; k < end; ++k) {
        const long double term =
            static_cast<long double>(matrix.values[k]) * x[matrix.column_indices[k] * columns + c];
        sum += term;
        magnitude += std::abs(term);
      }
      const auto bound = static_cast<long double>(end - begin + 2) * unit * magnitude;
      ASSERT_LE(std::abs(y[i * columns + c] - sum), bound)
          << what << ": row " << i << ", column " << c << " of " << columns;
    }
  }
}

/// Every fast kernel that takes the matrix, both precisions, these thread counts and K.
void expect_all_right(const Csr<double>& matrix, const std::vector<int>& threads,
                      const std::vector<Index>& columns) {
  const MatrixFacts facts = facts_of(matrix);
  for (const std::string_view name : fast_kernels) {
    const Kernel& kernel = find_kernel(host_kernels(), name);
    if (!kernel.refuse(facts, 1, 8).empty()) continue;
    for (const int count : threads) {
      const auto wide = prepare<double>(kernel, matrix, {1, count, 0});
      const Csr<float> single = as<float>(matrix);
      const auto narrow = prepare<float>(kernel, single, {1, count, 0});
      const std::string what = std::string(name) + " with " + std::to_string(count) + " threads";
      for (const Index k : columns) {
        expect_right(*wide, matrix, k, what);
        expect_right(*narrow, single, k, what + ", float");
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(FastKernels, EveryNumberOfColumns) {
  std::vector<Index> columns;
  for (Index k = 1; k <= 70; ++k) columns.push_back(k);
  for (const Index k : {96, 127, 128, 129, 200}) columns.push_back(k);
  expect_all_right(generate_matrix("grid3d27:3:3"), {2}, columns);
  expect_all_right(with_pattern(90, random_rows(50, 90, 0, 40)), {2}, columns);
}

TEST(FastKernels, MoreThreadsThanRows) {
  for (const Index rows : {1, 2, 3, 5}) {
    const Csr<double> matrix = with_pattern(9, random_rows(rows, 9, 1, 9));
    expect_all_right(matrix, {1, 2, 7, 16, 33}, {1, 3, 16});
  }
  expect_all_right(generate_matrix("grid2d:2"), {1, 7, 16}, {1, 3, 16});
}

TEST(FastKernels, NothingToDo) {
  expect_all_right(with_pattern(0, {}), {1, 3}, {1, 4});
  expect_all_right(with_pattern(5, {}), {1, 3}, {1, 4});
  expect_all_right(with_pattern(0, {{}, {}, {}}), {1, 3}, {1, 4});
  expect_all_right(with_pattern(3, {{}, {}, {}}), {1, 3}, {1, 4, 20});
}

TEST(FastKernels, OneHugeRow) {
  for (const Index place : {0, 150, 299}) {
    auto rows = random_rows(300, 40000, 0, 5);
    rows[place] = all_columns(40000);
    expect_all_right(with_pattern(40000, rows), {1, 2, 3, 8}, {1, 2, 13});
  }
}

TEST(FastKernels, EmptyRowsBetweenLongOnes) {
  auto rows = random_rows(2500, 3000, 0, 2);
  for (Index i = 0; i < 2500; i += 97) rows[i] = random_rows(1, 3000, 200, 900)[0];
  for (Index i = 1200; i < 1500; ++i) rows[i].clear();
  expect_all_right(with_pattern(3000, rows), {1, 2, 5}, {1, 6});
}

TEST(FastKernels, SameBitsForTheSameThreads) {
  const Csr<double> matrix = generate_matrix("grid3d27:12:2");
  const std::vector<double> x = random_x<double>(matrix.columns, 16);
  for (const std::string_view name : fast_kernels) {
    const Kernel& kernel = find_kernel(host_kernels(), name);
    if (!kernel.reproducible) continue;
    for (const Index columns : {1, 5, 16}) {
      const auto first = prepare<double>(kernel, matrix, {columns, 3, 0});
      const auto y = product_of(*first, matrix, x, columns);
      for (int run = 0; run < 5; ++run) {
        EXPECT_EQ(product_of(*first, matrix, x, columns), y) << name;
        const auto again = prepare<double>(kernel, matrix, {1, 3, 0});
        EXPECT_EQ(product_of(*again, matrix, x, columns), y) << name;
      }
    }
  }
}

TEST(FastKernels, InfinityStaysInItsRows) {
  // Column 4 is in rows 1 and 4 alone: nothing may be multiplied with a stored or padded zero.
  const Csr<double> matrix =
      with_pattern(6, {{0, 1}, {1, 4}, {2}, {0, 1, 2, 3}, {4}, {5}, {0, 3, 5}, {1, 2}, {5}});
  for (const std::string_view name :
       {"csr_balanced", "csr_sorted", "csr_grouped", "sliced_rows", "row_types", "auto"}) {
    const auto product = prepare<double>(find_kernel(host_kernels(), name), matrix, {1, 2, 0});
    for (const Index columns : {1, 3}) {
      std::vector<double> x(6 * columns, 1);
      for (Index c = 0; c < columns; ++c) x[4 * columns + c] = INFINITY;
      const auto y = product_of(*product, matrix, x, columns);
      for (Index i = 0; i < matrix.rows; ++i) {
        EXPECT_EQ(std::isfinite(y[i * columns]), i != 1 && i != 4) << name << ", row " << i;
      }
    }
  }
}

TEST(NonzeroSplit, CutsOnlyLongRows) {
  const Csr<double> even = generate_matrix("grid2d:50");
  const NonzeroSplit split = split_nonzeros(even.row_offsets, 4);
  ASSERT_EQ(split.parts(), 4);
  for (int p = 0; p <= 4; ++p) {
    EXPECT_EQ(split.first_nonzero[p], even.row_offsets[split.first_row[p]]);
  }
  const std::vector<Index> one_long{0, 1, 2, 1002, 1003};
  const NonzeroSplit cut = split_nonzeros(one_long, 4);
  EXPECT_EQ(cut.first_row[2], 2);
  for (int p = 0; p < 4; ++p) {
    EXPECT_NEAR(cut.first_nonzero[p + 1] - cut.first_nonzero[p], 1003 / 4.0, 5);
  }
}

TEST(BalancedCsr, RunsOfRowsOfEveryLengthAndColumnsOfAnyWidth) {
  // 65536 columns are the most that fit 16 bits; rows of up to 8 are summed without a loop.
  for (const LocalIndex columns : {65536, 65537}) {
    auto rows = random_rows(3000, columns, 0, 12);
    rows[7] = {0, columns - 1};
    std::vector<std::vector<LocalIndex>> sorted = rows;
    std::ranges::stable_sort(sorted, {}, [](const auto& row) { return row.size(); });
    for (const auto& pattern : {rows, sorted}) {
      const Csr<double> matrix = with_pattern(columns, pattern);
      expect_all_right(matrix, {1, 3}, {1, 2, 3, 4, 8, 9, 16, 17, 40});
      const auto balanced =
          prepare<double>(find_kernel(host_kernels(), "csr_balanced"), matrix, {1, 1, 0});
      const bool narrow = balanced->bytes() < 11 * matrix.nonzeros() + 10 * matrix.rows;
      EXPECT_EQ(narrow, columns == 65536);
    }
  }
}

TEST(EqualRowGroups, FoundAndCut) {
  const auto groups = [](const std::vector<std::vector<LocalIndex>>& rows) {
    return equal_row_groups(with_pattern(10, rows));
  };
  using Sizes = std::vector<int>;
  EXPECT_EQ(groups({}), Sizes{});
  EXPECT_EQ(groups({{1}}), Sizes{1});
  EXPECT_EQ(groups({{1}, {1, 2}, {1, 2}, {1, 3}}), (Sizes{1, 2, 1}));
  EXPECT_EQ(groups(std::vector<std::vector<LocalIndex>>(4, {1, 2})), Sizes{4});
  EXPECT_EQ(groups(std::vector<std::vector<LocalIndex>>(5, {1, 2})), (Sizes{2, 3}));
  EXPECT_EQ(groups(std::vector<std::vector<LocalIndex>>(6, {1, 2})), (Sizes{3, 3}));
  EXPECT_EQ(groups(std::vector<std::vector<LocalIndex>>(9)), (Sizes{3, 3, 3}));
  EXPECT_DOUBLE_EQ(grouping_of(generate_matrix("grid3d27:3:3")), 3);
  EXPECT_DOUBLE_EQ(grouping_of(with_pattern(3, {})), 1);
}

TEST(GroupedCsr, GroupsOfAllSizesAndWideColumns) {
  std::vector<std::vector<LocalIndex>> rows;
  for (int size = 1; size <= 9; ++size) {
    // Distances of 65535 fit 16 bits, of 70000 they do not.
    for (const LocalIndex last : {65535 + size, 70000}) {
      for (int r = 0; r < size; ++r) rows.push_back({size, size + 3, 900, 1000 + last % 7, last});
    }
  }
  expect_all_right(with_pattern(70001, rows), {1, 3}, {1, 2, 17});
  for (auto& row : rows) row.back() = row.front() + 65535;
  expect_all_right(with_pattern(70001, rows), {1, 3}, {1, 2, 17});
}

TEST(GroupedCsr, StoresOneListOfColumnsForThreeRows) {
  const Csr<double> matrix = generate_matrix("grid3d27:10:3");
  const auto grouped =
      prepare<double>(find_kernel(host_kernels(), "csr_grouped"), matrix, {1, 2, 0});
  EXPECT_LT(static_cast<double>(grouped->bytes()), 8.9 * static_cast<double>(matrix.nonzeros()));
}

TEST(SymmetricHalves, OverlapsForEveryNumberOfThreads) {
  const std::vector<int> threads{1, 2, 3, 4, 5, 6, 7};
  const std::vector<Index> columns{1, 3, 16};
  expect_all_right(generate_matrix("grid2d:13"), threads, columns);
  expect_all_right(generate_matrix("grid3d27:4:3"), threads, columns);
  // Overlaps that reach back over several parts, rows with and without a diagonal.
  expect_all_right(symmetrised(with_pattern(150, random_rows(150, 150, 0, 9))), threads, columns);
  // An arrow: the last row and column full.
  auto arrow = random_rows(200, 200, 0, 0);
  arrow[199] = all_columns(200);
  expect_all_right(symmetrised(with_pattern(200, arrow)), threads, columns);
  expect_all_right(symmetrised(with_pattern(30, random_rows(30, 30, 30, 300))), threads, columns);
}

TEST(SymmetricHalves, LargeEnoughForAllThreads) {
  expect_all_right(generate_matrix("grid3d27:14:2"), {2, 4, 7}, {1, 4});
}

TEST(SymmetricHalves, RefusesOthers) {
  const Kernel& kernel = find_kernel(host_kernels(), "symmetric_halves");
  const Csr<double> matrix = with_pattern(3, {{0, 1}, {1}, {2}});
  EXPECT_FALSE(kernel.refuse(facts_of(matrix), 1, 8).empty());
  EXPECT_TRUE(kernel.refuse(facts_of(generate_matrix("grid2d:3")), 1, 8).empty());
}

/// The real form of random numbers in a pattern, as it is or with conjugate rows.
Csr<double> complex_matrix(Index columns, const std::vector<std::vector<LocalIndex>>& rows,
                           bool conjugates) {
  const Csr<double> s = with_pattern(columns, rows);
  Csr<double> t = s;
  std::ranges::reverse(t.values);
  Csr<double> form = real_form(s, t);
  if (conjugates) conjugate_rows(form);
  return form;
}

const Kernel& complex_rows() {
  return find_kernel(host_kernels(), "complex_rows");
}

TEST(ComplexRows, EveryPatternAndNumberOfColumns) {
  auto with_gaps = random_rows(2500, 3000, 0, 2);
  for (Index i = 0; i < 2500; i += 97) with_gaps[i] = random_rows(1, 3000, 60, 200)[0];
  for (Index i = 1200; i < 1700; ++i) with_gaps[i].clear();
  auto wide = random_rows(40, 200, 0, 9);
  wide[3] = {0, 65536};  // distances that do not fit 16 bits
  for (const bool conjugates : {false, true}) {
    expect_all_right(complex_matrix(90, random_rows(300, 90, 0, 40), conjugates), {1, 2},
                     {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 40});
    expect_all_right(complex_matrix(3000, with_gaps, conjugates), {1, 3}, {1, 5});
    expect_all_right(complex_matrix(65537, wide, conjugates), {2}, {1, 4});
    expect_all_right(complex_matrix(4, {{}, {}, {1}}, conjugates), {2}, {1, 4});
  }
}

TEST(ComplexRows, SameBitsForAnyThreads) {
  const Csr<double> matrix = complex_matrix(4000, random_rows(3000, 4000, 0, 30), false);
  for (const Index columns : {1, 2, 5}) {
    const std::vector<double> x = random_x<double>(matrix.columns, columns);
    const auto alone = prepare<double>(complex_rows(), matrix, {columns, 1, 0});
    const auto both = prepare<double>(complex_rows(), matrix, {columns, 2, 0});
    EXPECT_EQ(product_of(*alone, matrix, x, columns), product_of(*both, matrix, x, columns));
  }
}

TEST(ComplexRows, WhatIsNoNumberStaysInItsRowsAndTinyOnesAreExact) {
  const std::vector<std::vector<LocalIndex>> rows{{0, 1}, {1, 4}, {2}, {0, 1, 2, 3}, {4}, {}, {5}};
  Csr<double> matrix = complex_matrix(6, rows, false);
  for (const Index columns : {1, 3}) {
    std::vector<double> x(12 * columns, 1);
    for (Index c = 0; c < columns; ++c) x[9 * columns + c] = NAN;  // the imaginary part of x_4
    const auto product = prepare<double>(complex_rows(), matrix, {columns, 2, 0});
    const auto y = product_of(*product, matrix, x, columns);
    for (Index i = 0; i < matrix.rows; ++i) {
      EXPECT_EQ(std::isnan(y[i * columns]), i / 2 == 1 || i / 2 == 4) << i;
    }
  }
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for (double& value : matrix.values) value = std::copysign(3 * tiny, value);
  const std::vector<double> x(12, 2);
  const auto plain = prepare<double>(find_kernel(host_kernels(), "csr_serial"), matrix, {});
  const auto product = prepare<double>(complex_rows(), matrix, {1, 1, 0});
  const std::vector<double> y = product_of(*product, matrix, x, 1);
  EXPECT_EQ(y, product_of(*plain, matrix, x, 1));
  EXPECT_GT(std::ranges::count_if(y, [](double v) { return std::abs(v) >= 6 * tiny; }), 3);
}

TEST(ComplexRows, OtherMatricesAreRefused) {
  const Csr<double> form = complex_matrix(90, random_rows(300, 90, 1, 40), false);
  EXPECT_EQ(complex_rows().refuse(facts_for(complex_rows(), form, 1), 1, 8), "");
  for (const Index changed : {Index{0}, form.nonzeros() - 1}) {
    Csr<double> other = form;
    other.values[changed] += 1;
    EXPECT_NE(complex_rows().refuse(facts_for(complex_rows(), other, 1), 1, 8), "");
  }
  // One row pair as it is, one conjugate.
  Csr<double> mixed = complex_matrix(4, {{0, 1}, {2}}, false);
  EXPECT_EQ(real_form_kind(mixed), RealFormKind::plain);
  for (Index k = mixed.row_offsets[3]; k < mixed.row_offsets[4]; ++k) mixed.values[k] *= -1;
  EXPECT_EQ(real_form_kind(mixed), RealFormKind::none);
  EXPECT_EQ(real_form_kind(generate_matrix("grid2d:4")), RealFormKind::none);
  const Csr<double> shifted = with_pattern(4, {{1, 2}, {1, 2}});
  EXPECT_EQ(real_form_kind(shifted), RealFormKind::none);
}

TEST(ComplexRows, AreWhatAutoTakesFirst) {
  const Csr<double> form = complex_matrix(900, random_rows(300, 900, 1, 40), true);
  EXPECT_EQ(likely_kernels(form, 4), std::vector<std::string_view>{"complex_rows"});
  EXPECT_EQ(likely_kernels(form, 16).front(), "complex_rows");
  const Kernel& chooses = find_kernel(host_kernels(), "auto");
  EXPECT_EQ(prepare<double>(chooses, form, {1, 1, 0, 1})->detail(), "complex_rows");
}

TEST(Auto, TellsWhatItChose) {
  const Csr<double> symmetric = generate_matrix("grid3d27:6:3");
  const Csr<double> general = with_pattern(400, random_rows(300, 400, 1, 20));
  for (const Csr<double>* matrix : {&symmetric, &general}) {
    for (const Index columns : {1, 16}) {
      const auto likely = likely_kernels(*matrix, columns);
      EXPECT_EQ(std::count(likely.begin(), likely.end(), "symmetric_halves"), matrix == &symmetric);
      const auto product =
          prepare<double>(find_kernel(host_kernels(), "auto"), *matrix, {columns, 2, 0});
      const std::string detail = product->detail();
      EXPECT_TRUE(std::any_of(likely.begin(), likely.end(), [&](std::string_view name) {
        return detail.rfind(name, 0) == 0;
      })) << detail;
      const std::string_view chosen = std::string_view(detail).substr(0, detail.find(' '));
      EXPECT_EQ(
          prepare<double>(find_kernel(host_kernels(), chosen), *matrix, {columns, 2, 0})->bytes(),
          product->bytes());
    }
  }
}

TEST(Auto, TriesNothingForAFewProducts) {
  Csr<double> matrix = generate_matrix("grid3d27:6:3");
  const auto detail = [&](Index products, Index columns = 4) {
    return prepare<double>(find_kernel(host_kernels(), "auto"), matrix, {columns, 2, 0, products})
        ->detail();
  };
  EXPECT_EQ(detail(1), "csr_balanced");
  EXPECT_NE(detail(100'000).find("csr_grouped"), std::string::npos);
  EXPECT_NE(detail(0).find("csr_grouped"), std::string::npos);
  // Short rows of changing length.
  matrix = with_pattern(500, random_rows(1000, 500, 0, 12));
  EXPECT_EQ(detail(1), "csr_sorted");
  EXPECT_EQ(detail(1, 16), "csr_balanced");
  EXPECT_NE(detail(0).find("csr_sorted"), std::string::npos);
}

}  // namespace
}  // namespace spsolve
