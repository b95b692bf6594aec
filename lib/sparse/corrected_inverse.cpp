#include "sparse/corrected_inverse.hpp"

#include <algorithm>
#include <cmath>

#include <lapacke.h>

namespace spsolve::inline sparse {

namespace {

double one_norm(const Dense<double>& square) {
  double norm = 0;
  for (Index column = 0; column < square.columns; ++column) {
    double sum = 0;
    for (Index row = 0; row < square.rows; ++row) sum += std::abs(square(row, column));
    norm = std::max(norm, sum);
  }
  return norm;
}

/// The matrix becomes its inverse; whether that tells digits.
bool invert(Dense<double>& square) {
  const double norm = one_norm(square);
  const auto n = static_cast<lapack_int>(square.rows);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  std::vector<double> work(static_cast<std::size_t>(n));
  lapack_int info = 0;
  LAPACK_dgetrf(&n, &n, square.values.data(), &n, pivots.data(), &info);
  if (info != 0) return false;
  LAPACK_dgetri(&n, square.values.data(), &n, pivots.data(), work.data(), &n, &info);
  constexpr double most_condition = 1e12;
  return info == 0 && norm * one_norm(square) <= most_condition;
}

}  // namespace

CorrectedInverse::CorrectedInverse(SystemMatrix& matrix, LinearOperator& inverse,
                                   const std::vector<RaisedPivot>& raised)
    : inverse_(inverse) {
  const Index count = std::ssize(raised);
  const std::unique_ptr<Vectors> e = matrix.vectors(count);
  std::vector<double> row(static_cast<std::size_t>(count), 0);
  for (Index k = 0; k < count; ++k) {
    row[k] = 1;
    e->write_rows({raised[k].row, raised[k].row + 1}, row);
    row[k] = 0;
  }
  z_ = e->similar(count);
  inverse_.apply(*e, *z_);
  s_ = products(*e, *z_);
  for (double& value : s_.values) value = -value;
  for (Index k = 0; k < count; ++k) s_(k, k) += 1 / raised[k].by;
  regular_ = invert(s_);
}

void CorrectedInverse::correct(bool transposed, const Vectors& x, Vectors& y) {
  const Dense<double> of_x = products(*z_, x);
  Dense<double> factors(of_x.rows, of_x.columns);
  for (Index i = 0; i < of_x.rows; ++i) {
    for (Index k = 0; k < of_x.rows; ++k) {
      for (Index c = 0; c < of_x.columns; ++c) factors(i, c) += s_(i, k) * of_x(k, c);
    }
  }
  transposed ? inverse_.apply_transposed(x, y) : inverse_.apply(x, y);
  y.add_product(1, *z_, factors.values);
}

}  // namespace spsolve::sparse
