#include "helpers/reference.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas/blas.hpp"

namespace spsolve::test {

Dense<double> lapack_solve(const Csr<double>& matrix, const Dense<double>& b) {
  const Index n = matrix.rows;
  const Index columns = b.columns;
  std::vector<double> a(static_cast<std::size_t>(n * n));
  std::vector<double> x(static_cast<std::size_t>(n * columns));
  for (Index i = 0; i < n; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      a[i + matrix.column_indices[k] * n] = matrix.values[k];
    }
    for (Index c = 0; c < columns; ++c) x[i + c * n] = b(i, c);
  }
  if (blas::solve_system(n, columns, a.data(), x.data()) != 0) return {};
  Dense<double> solution(n, columns);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < columns; ++c) solution(i, c) = x[i + c * n];
  }
  return solution;
}

double backward_error(const Csr<double>& matrix, const Dense<double>& b, const Dense<double>& x) {
  long double worst = 0;
  for (Index c = 0; c < b.columns; ++c) {
    long double residual = 0, norm = 0, x_norm = 0, b_norm = 0;
    for (Index i = 0; i < matrix.rows; ++i) {
      long double r = b(i, c), row_sum = 0;
      for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
        r -= static_cast<long double>(matrix.values[k]) * x(matrix.column_indices[k], c);
        row_sum += std::abs(matrix.values[k]);
      }
      residual = std::max(residual, std::abs(r));
      norm = std::max(norm, row_sum);
      b_norm = std::max<long double>(b_norm, std::abs(b(i, c)));
      x_norm = std::max<long double>(x_norm, std::abs(x(i, c)));
      if (!std::isfinite(x(i, c))) return INFINITY;
    }
    if (residual > 0) worst = std::max(worst, residual / (norm * x_norm + b_norm));
  }
  return static_cast<double>(worst);
}

double error_bound(const Csr<double>& matrix, const Dense<double>& b) {
  return 20 * std::max(backward_error(matrix, b, lapack_solve(matrix, b)), unit_roundoff);
}

Dense<double> multiply(const Csr<double>& matrix, const Dense<double>& x) {
  Dense<double> y(matrix.rows, x.columns);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index c = 0; c < x.columns; ++c) {
      long double sum = 0;
      for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
        sum += static_cast<long double>(matrix.values[k]) * x(matrix.column_indices[k], c);
      }
      y(i, c) = static_cast<double>(sum);
    }
  }
  return y;
}

Csr<double> sparse(const Dense<double>& dense) {
  Csr<double> matrix;
  matrix.rows = dense.rows;
  matrix.columns = dense.columns;
  for (Index i = 0; i < dense.rows; ++i) {
    for (Index j = 0; j < dense.columns; ++j) {
      if (dense(i, j) == 0) continue;
      matrix.column_indices.push_back(static_cast<LocalIndex>(j));
      matrix.values.push_back(dense(i, j));
    }
    matrix.row_offsets.push_back(static_cast<Index>(matrix.values.size()));
  }
  return matrix;
}

Dense<double> dense(const Csr<double>& matrix) {
  Dense<double> result(matrix.rows, matrix.columns);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (std::size_t k = 0; k < matrix.row_columns(i).size(); ++k) {
      result(i, matrix.row_columns(i)[k]) = matrix.row_values(i)[k];
    }
  }
  return result;
}

}  // namespace spsolve::test
