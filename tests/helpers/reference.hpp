#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace spsolve::test {

/// Solves A x = b by LAPACK's dgesv in double; b is n x K, row-major. Empty where A is singular.
Dense<double> lapack_solve(const Csr<double>& matrix, const Dense<double>& b);

/// Normwise backward error of x, the worst column, computed from scratch in long double.
double backward_error(const Csr<double>& matrix, const Dense<double>& b, const Dense<double>& x);

/// The bound of the backward error of an elimination: 20 times LAPACK's, as some growth of
/// round-off is normal.
double error_bound(const Csr<double>& matrix, const Dense<double>& b);

/// b = A x, summed in long double.
Dense<double> multiply(const Csr<double>& matrix, const Dense<double>& x);

/// The dense matrix as Csr, zeros left out.
Csr<double> sparse(const Dense<double>& dense);

/// The sparse matrix with its zeros.
Dense<double> dense(const Csr<double>& matrix);

/// Fails the running test where the two are not the same arrays.
template <typename T>
void expect_equal(const Csr<T>& a, const Csr<T>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.row_offsets, b.row_offsets);
  EXPECT_EQ(a.column_indices, b.column_indices);
  EXPECT_EQ(a.values, b.values);
}

}  // namespace spsolve::test
