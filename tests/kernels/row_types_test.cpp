// Types of rows: which rows are of one type, how many are taken, runs cut by threads, large Y.
// X and all values are small integers: sums are exact in any order.

#include "multiply/kernel/row_types.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "multiply/auto_product.hpp"
#include "multiply/kernel/kernel.hpp"
#include "multiply/published/csr_kernels.hpp"

namespace spsolve {
namespace {

struct Entry {
  LocalIndex column;
  double value;
};

Csr<double> of_rows(Index columns, const std::vector<std::vector<Entry>>& rows) {
  Csr<double> matrix;
  matrix.rows = static_cast<Index>(rows.size());
  matrix.columns = columns;
  for (const auto& row : rows) {
    for (const Entry& entry : row) {
      matrix.column_indices.push_back(entry.column);
      matrix.values.push_back(entry.value);
    }
    matrix.row_offsets.push_back(static_cast<Index>(matrix.values.size()));
  }
  return matrix;
}

/// A diagonal of the values 1, 2, ..., count, over and over.
Csr<double> diagonal(Index rows, Index count) {
  std::vector<std::vector<Entry>> entries;
  for (Index i = 0; i < rows; ++i) {
    entries.push_back({{static_cast<LocalIndex>(i), static_cast<double>(i % count + 1)}});
  }
  return of_rows(rows, entries);
}

const Kernel& kernel() {
  return find_kernel(host_kernels(), "row_types");
}

/// The product equals the serial one where Y begins `shift` elements after an aligned place, and
/// nothing is written around it.
template <typename T>
void expect_exact(const Csr<T>& matrix, Index columns, int threads, Index shift = 0) {
  SCOPED_TRACE(testing::Message() << "K = " << columns << ", " << threads << " threads");
  std::vector<T> x(matrix.columns * columns), expected(matrix.rows * columns);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(k * 7 % 13) - 6;
  csr_serial(matrix, x.data(), expected.data(), columns);
  constexpr Index around = 64;
  const T poison = -1234;
  std::vector<T> y(expected.size() + 2 * around, poison);
  const auto address = reinterpret_cast<std::uintptr_t>(y.data()) % 64 / sizeof(T);
  T* const begin = y.data() + (64 / sizeof(T) - address) + shift;
  std::fill_n(begin, expected.size(), std::numeric_limits<T>::quiet_NaN());
  prepare<T>(kernel(), matrix, {columns, threads, 0})->multiply(x.data(), begin, columns);
  EXPECT_EQ(std::vector<T>(begin, begin + expected.size()), expected);
  EXPECT_TRUE(std::all_of(y.data(), begin, [&](T value) { return value == poison; }));
  EXPECT_TRUE(std::all_of(begin + expected.size(), y.data() + y.size(),
                          [&](T value) { return value == poison; }));
}

TEST(RowTypes, OfAGrid) {
  // By their place in the grid: inside, four edges, four corners.
  for (const int parts : {1, 2, 3, 8, 40}) {
    for (const char* spec : {"grid2d:3", "grid2d:7", "grid2d:130"}) {
      const Csr<double> matrix = generate_matrix(spec);
      const RowTypes types = find_row_types(matrix, parts);
      EXPECT_EQ(types.examples.size(), 9u) << spec;
      Index rows = 0;
      for (int p = 0; p < parts; ++p) {
        EXPECT_EQ(types.first_row[p], rows);
        for (const RowRun& run : types.runs[p]) {
          EXPECT_LE(types.examples[run.type], rows);
          rows += run.rows;
        }
      }
      EXPECT_EQ(rows, matrix.rows);
    }
  }
  EXPECT_EQ(count_row_types(generate_matrix("tridiagonal:100")), 3);
  EXPECT_EQ(count_row_types(of_rows(0, {})), 0);
  EXPECT_EQ(count_row_types(of_rows(4, {{}, {}, {}})), 1);
}

TEST(RowTypes, DifferInDistanceLengthAndBits) {
  EXPECT_EQ(count_row_types(of_rows(9, {{{0, 1.0}}, {{1, 1.0}}})), 1);
  EXPECT_EQ(count_row_types(of_rows(9, {{{0, 1.0}}, {{0, 1.0}}})), 2);
  EXPECT_EQ(count_row_types(of_rows(9, {{{0, 1.0}}, {{1, 1.0}, {2, 1.0}}})), 2);
  EXPECT_EQ(count_row_types(of_rows(9, {{{0, 1.0}}, {{1, 1.0 + 0x1p-52}}})), 2);
  const Csr<double> zeros =
      of_rows(4, {{{0, 0.0}}, {{1, -0.0}}, {{2, 0.0}}, {{0, -0.0}, {3, -0.0}}});
  EXPECT_EQ(count_row_types(zeros), 3);
  // 0 * -inf is not a number, and stays in its row.
  const double x[] = {1, -1, -INFINITY, -2};
  double y[4];
  prepare<double>(kernel(), zeros, {})->multiply(x, y, 1);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0);
}

TEST(RowTypes, OneForEveryRow) {
  for (const Index rows : {1, 255, 256, 257, 2000}) {
    const Csr<double> matrix = diagonal(rows, rows);
    EXPECT_EQ(count_row_types(matrix), rows);
    for (const Index columns : {1, 3, 4, 16, 33}) {
      expect_exact(matrix, columns, 2);
      expect_exact(csr_cast<float>(matrix), columns, 3);
    }
  }
}

TEST(RowTypes, AsManyAsAreTakenAndOneMore) {
  const Csr<double> most = diagonal(3 * most_row_types, most_row_types);
  EXPECT_EQ(count_row_types(most), most_row_types);
  EXPECT_EQ(kernel().refuse(facts_of(most), 4, 8), "");
  expect_exact(most, 4, 2);

  const Csr<double> more = diagonal(3 * most_row_types, most_row_types + 1);
  EXPECT_EQ(count_row_types(more), most_row_types + 1);
  EXPECT_NE(kernel().refuse(facts_of(more), 4, 8).find("4096"), std::string::npos);
  for (const int threads : {1, 2, 5}) {
    try {
      prepare<double>(kernel(), more, {1, threads, 0});
      ADD_FAILURE() << "does not throw";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::resources);
    }
  }
  // Rows that differ in double may be one type in float.
  Csr<double> close = diagonal(2 * most_row_types, 1);
  for (std::size_t i = 0; i < close.values.size(); ++i) {
    close.values[i] = 1 + static_cast<double>(i) * 0x1p-50;
  }
  EXPECT_GT(count_row_types(close), most_row_types);
  EXPECT_EQ(count_row_types(csr_cast<float>(close)), 1);
}

TEST(RowTypes, EmptyRowsAmongOthers) {
  std::vector<std::vector<Entry>> rows(400);
  for (LocalIndex i = 0; i < 400; ++i) {
    if (i % 7 < 3 || i > 300) continue;
    rows[i] = {{i / 2, 2.0}, {i / 2 + 100, static_cast<double>(i % 3)}, {i + 20, -1.0}};
  }
  const Csr<double> matrix = of_rows(420, rows);
  for (const Index columns : {1, 2, 5, 16}) expect_exact(matrix, columns, 3);
}

TEST(RowTypes, SameBitsForAllThreads) {
  const Csr<double> matrix = generate_matrix("grid2d:90");
  for (const Index columns : {1, 3, 8}) {
    std::vector<double> x(matrix.columns * columns);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(static_cast<double>(k));
    std::vector<double> first(matrix.rows * columns), y(first);
    prepare<double>(kernel(), matrix, {columns, 1, 0})->multiply(x.data(), first.data(), columns);
    for (const int threads : {2, 3, 7}) {
      prepare<double>(kernel(), matrix, {columns, threads, 0})
          ->multiply(x.data(), y.data(), columns);
      EXPECT_EQ(std::memcmp(y.data(), first.data(), y.size() * sizeof(double)), 0);
    }
  }
}

TEST(RowTypes, LargeYAtEveryAlignment) {
  // More than 24 MiB, which is stored past the caches.
  const Csr<double> matrix = generate_matrix("grid2d:520");
  const Csr<float> single = csr_cast<float>(matrix);
  for (const Index shift : {0, 1, 5, 7}) {
    expect_exact(matrix, 13, 2, shift);
    expect_exact(single, 27, 2, shift);
  }
}

TEST(RowTypes, TakeHardlyAnyMemory) {
  const Csr<double> matrix = generate_matrix("grid2d:200");
  EXPECT_LT(prepare<double>(kernel(), matrix, {1, 2, 0})->bytes(), matrix.rows / 4);
}

TEST(RowTypes, CandidateOfAuto) {
  const auto is_likely = [](const Csr<double>& matrix) {
    const auto names = likely_kernels(matrix, 4);
    return std::find(names.begin(), names.end(), "row_types") != names.end();
  };
  EXPECT_TRUE(is_likely(generate_matrix("grid2d:20")));
  EXPECT_FALSE(is_likely(generate_matrix("random_sparse:6000:6000:5")));
  EXPECT_FALSE(is_likely(diagonal(8 * most_row_types, most_row_types + 1)));
  EXPECT_TRUE(is_likely(diagonal(4000, 1000)));
  EXPECT_FALSE(is_likely(diagonal(4000, 1001)));
}

}  // namespace
}  // namespace spsolve
