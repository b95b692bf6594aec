#include "helpers/product_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::test {

namespace {

/// A matrix with a column list per row, values random.
Csr<double> with_rows(Index columns, const std::vector<std::vector<Index>>& rows) {
  Csr<double> matrix;
  matrix.rows = static_cast<Index>(rows.size());
  matrix.columns = columns;
  for (const auto& row : rows) {
    for (const Index j : row) matrix.column_indices.push_back(static_cast<LocalIndex>(j));
    matrix.row_offsets.push_back(static_cast<Index>(matrix.column_indices.size()));
  }
  matrix.values = random_multivector(matrix.nonzeros(), 1, 11).values;
  return matrix;
}

std::vector<Index> all_columns(Index columns) {
  std::vector<Index> row(columns);
  for (Index j = 0; j < columns; ++j) row[j] = j;
  return row;
}

Csr<double> empty_rows() {
  std::vector<std::vector<Index>> rows(70);
  for (Index i = 3; i < 70; i += 5) rows[i] = {i % 7, 10 + i};
  return with_rows(90, rows);
}

Csr<double> huge_row() {
  std::vector<std::vector<Index>> rows(50);
  for (Index i = 0; i < 50; ++i)
    rows[i] = i == 31 ? all_columns(3000) : std::vector<Index>{i, 2999};
  return with_rows(3000, rows);
}

Csr<double> huge_column() {
  std::vector<std::vector<Index>> rows(1500);
  for (Index i = 0; i < 1500; ++i) {
    rows[i] = i % 3 == 0 ? std::vector<Index>{2} : std::vector<Index>{2, 5 + i % 20};
  }
  return with_rows(25, rows);
}

/// Duplicates of a list, summed on the way to Csr.
Csr<double> duplicates() {
  Coo coo{40, 30, Symmetry::general, {}, {}, {}};
  for (Index k = 0; k < 400; ++k) {
    coo.row.push_back(k * 7 % 40);
    coo.column.push_back(k * k % 30);
    coo.value.push_back(0.1 + static_cast<double>(k % 13));
  }
  return csr_from_coo(coo);
}

/// A random symmetric matrix; some rows are empty, some have no diagonal.
Csr<double> symmetric_random(Index n) {
  const Csr<double> lower = generate_matrix(fmt::format("random_sparse:{}:{}:5", n, n));
  Coo coo{n, n, Symmetry::symmetric, {}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index k = lower.row_offsets[i]; k < lower.row_offsets[i + 1]; ++k) {
      const Index j = lower.column_indices[k];
      if (j > i || i % 11 == 5 || j % 11 == 5) continue;
      coo.row.push_back(i);
      coo.column.push_back(j);
      coo.value.push_back(lower.values[k]);
    }
  }
  return csr_from_coo(coo);
}

/// The same, its mirrors apart by rounding, as sums of elements leave them.
Csr<double> nearly_symmetric(Index n) {
  Csr<double> matrix = symmetric_random(n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      if (matrix.column_indices[k] > i && k % 3 == 0) {
        matrix.values[k] = std::nextafter(matrix.values[k], 1e9);
      }
    }
  }
  return matrix;
}

}  // namespace

Csr<double> symmetric_arrow(Index n) {
  Coo coo{n, n, Symmetry::symmetric, {}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    coo.row.insert(coo.row.end(), {i, n - 1});
    coo.column.insert(coo.column.end(), {i, i});
    coo.value.insert(coo.value.end(), {2.0, 0.01 * static_cast<double>(i)});
  }
  return csr_from_coo(coo);
}

const std::vector<ProductCase>& product_cases() {
  static const std::vector<ProductCase> all = {
      {"0 x 0", with_rows(0, {})},
      {"0 x 9", with_rows(9, {})},
      {"9 x 0", with_rows(0, std::vector<std::vector<Index>>(9))},
      {"9 x 9 without non-zeros", with_rows(9, std::vector<std::vector<Index>>(9))},
      {"1 x 1", with_rows(1, {{0}})},
      {"1 x 700", with_rows(700, {all_columns(700)})},
      {"700 x 1", with_rows(1, std::vector<std::vector<Index>>(700, {0}))},
      {"empty rows", empty_rows()},
      {"one huge row", huge_row()},
      {"one huge column", huge_column()},
      {"wide", generate_matrix("random_sparse:60:500:12")},
      {"tall", generate_matrix("random_sparse:500:60:5")},
      {"duplicates", duplicates()},
      {"random", generate_matrix("random_sparse:333:333:9")},
      {"dense", generate_matrix("random_dense:65")},
      {"power law", generate_matrix("power_law:400:6")},
      {"grid", generate_matrix("grid2d:17")},
      {"cube", generate_matrix("grid3d27:4:2")},
      {"symmetric random", symmetric_random(300)},
      {"symmetric but for rounding", nearly_symmetric(290)},
      {"symmetric arrow", symmetric_arrow(40)},
      {"tridiagonal", generate_matrix("tridiagonal:257")},
  };
  return all;
}

template <typename T>
ProductReference<T> product_reference(const Csr<double>& matrix) {
  ProductReference<T> reference;
  if constexpr (std::is_same_v<T, double>) {
    reference.matrix = matrix;
  } else {
    reference.matrix = csr_cast<T>(matrix);
  }
  reference.facts = facts_of(matrix);
  const Dense<double> x = random_multivector(matrix.columns, most_columns, 3);
  reference.x.assign(x.values.begin(), x.values.end());
  reference.y.resize(matrix.rows * most_columns);
  reference.bound.resize(matrix.rows * most_columns);
  constexpr long double u = std::numeric_limits<T>::epsilon() / 2;
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = reference.matrix.row_columns(i);
    const auto values = reference.matrix.row_values(i);
    const auto length = static_cast<long double>(columns.size());
    for (Index c = 0; c < most_columns; ++c) {
      long double sum = 0, scale = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const long double product =
            static_cast<long double>(values[k]) * reference.x[columns[k] * most_columns + c];
        sum += product;
        scale += std::abs(product);
      }
      reference.y[i * most_columns + c] = sum;
      reference.bound[i * most_columns + c] =
          (length + 2) * u * scale + length * std::numeric_limits<T>::denorm_min();
    }
  }
  return reference;
}

template <typename T>
const std::vector<ProductReference<T>>& product_references() {
  static const std::vector<ProductReference<T>> all = [] {
    std::vector<ProductReference<T>> made;
    for (const ProductCase& one : product_cases()) made.push_back(product_reference<T>(one.matrix));
    return made;
  }();
  return all;
}

template <typename T>
std::vector<T> leading_columns(const ProductReference<T>& reference, Index columns) {
  std::vector<T> x(reference.matrix.columns * columns);
  for (Index j = 0; j < reference.matrix.columns; ++j) {
    std::copy_n(reference.x.data() + j * most_columns, columns, x.data() + j * columns);
  }
  return x;
}

template <typename T>
std::vector<T> guarded_product(Index size,
                               const std::function<void(std::vector<T>&, Index)>& multiply) {
  constexpr Index guard = 61;
  const T poison = static_cast<T>(-123456.0);
  std::vector<T> buffer(size + 2 * guard, poison);
  std::fill_n(buffer.begin() + guard, size, std::numeric_limits<T>::quiet_NaN());
  multiply(buffer, guard);
  const auto expect_untouched = [&](Index first, const char* where) {
    for (Index k = first; k < first + guard; ++k) {
      if (buffer[k] == poison) continue;
      ADD_FAILURE() << "written " << where << " Y, which has " << size << " elements: " << buffer[k]
                    << " at " << k - guard;
      return;
    }
  };
  expect_untouched(0, "before");
  expect_untouched(guard + size, "behind");
  return {buffer.begin() + guard, buffer.begin() + guard + size};
}

template <typename T>
bool within_bound(const ProductReference<T>& reference, const std::vector<T>& y, Index columns) {
  for (Index i = 0; i < reference.matrix.rows; ++i) {
    for (Index c = 0; c < columns; ++c) {
      const long double error = std::abs(static_cast<long double>(y[i * columns + c]) -
                                         reference.y[i * most_columns + c]);
      if (error <= reference.bound[i * most_columns + c]) continue;  // not for a nan
      ADD_FAILURE() << "row " << i << ", column " << c << ": " << y[i * columns + c]
                    << " instead of " << reference.y[i * most_columns + c] << ", bound "
                    << reference.bound[i * most_columns + c];
      return false;
    }
  }
  return true;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template ProductReference<float> product_reference(const Csr<double>&);
template const std::vector<ProductReference<float>>& product_references();
template std::vector<float> leading_columns(const ProductReference<float>&, Index);
template bool within_bound(const ProductReference<float>&, const std::vector<float>&, Index);
template bool same_bits(const std::vector<float>&, const std::vector<float>&);
template std::vector<float> guarded_product(Index,
                                            const std::function<void(std::vector<float>&, Index)>&);
template ProductReference<double> product_reference(const Csr<double>&);
template const std::vector<ProductReference<double>>& product_references();
template std::vector<double> leading_columns(const ProductReference<double>&, Index);
template bool within_bound(const ProductReference<double>&, const std::vector<double>&, Index);
template bool same_bits(const std::vector<double>&, const std::vector<double>&);
template std::vector<double> guarded_product(
    Index, const std::function<void(std::vector<double>&, Index)>&);

}  // namespace spsolve::test
