// Cases that are special to the fast host kernels: cuts inside rows, classes of K, groups of equal
// rows, overlaps of symmetric parts, and the choice of auto.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/kernel_cases.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "multiply/auto_product.hpp"
#include "multiply/fast/fast_csr.hpp"
#include "multiply/fast/fast_groups.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve {
namespace {

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

TEST(SymmetricHalves, TakesMirrorsThatRound) {
  Csr<double> matrix = generate_matrix("grid3d27:6:3");
  const auto refusal = [&](std::string_view name) {
    const Kernel& kernel = find_kernel(host_kernels(), name);
    return kernel.refuse(facts_for(kernel, matrix, 1), 1, 8);
  };
  double& upper = matrix.values[1];
  ASSERT_EQ(matrix.column_indices[1], 1);
  upper *= 1 + 1e-15;
  for (const char* name : {"symmetric_halves", "symmetric_atomic", "symmetric_colored"}) {
    EXPECT_EQ(refusal(name), "") << name;
  }
  // auto multiplies by A as it is.
  const auto likely = likely_kernels(matrix, 1);
  EXPECT_EQ(std::count(likely.begin(), likely.end(), "symmetric_halves"), 0);
  upper *= 1 + 1e-12;
  for (const char* name : {"symmetric_halves", "symmetric_atomic", "symmetric_colored"}) {
    EXPECT_NE(refusal(name).find("not symmetric, by more than rounding: a(1, 2) = "),
              std::string::npos)
        << refusal(name);
  }
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
