#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "multiply/kernel/kernel.hpp"

// Patterns that are special to the fast host kernels, and products judged element by element.

namespace spsolve {

inline constexpr std::string_view fast_kernels[] = {
    "csr_balanced",     "csr_sorted", "csr_grouped",  "sliced_rows",
    "symmetric_halves", "row_types",  "complex_rows", "auto"};

/// A matrix of the given columns by row, with pseudo-random values.
inline Csr<double> with_pattern(Index columns, const std::vector<std::vector<LocalIndex>>& rows) {
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
inline std::vector<std::vector<LocalIndex>> random_rows(Index rows, Index columns, int shortest,
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

inline std::vector<LocalIndex> all_columns(Index columns) {
  std::vector<LocalIndex> row(columns);
  for (Index j = 0; j < columns; ++j) row[j] = static_cast<LocalIndex>(j);
  return row;
}

/// A + A^T.
inline Csr<double> symmetrised(const Csr<double>& matrix) {
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
inline void expect_all_right(const Csr<double>& matrix, const std::vector<int>& threads,
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

}  // namespace spsolve
