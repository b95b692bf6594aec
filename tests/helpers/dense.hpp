#pragma once

#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace spsolve::test {

/// The sparse matrix with its zeros.
inline Dense<double> dense(const Csr<double>& matrix) {
  Dense<double> result(matrix.rows, matrix.columns);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (std::size_t k = 0; k < matrix.row_columns(i).size(); ++k) {
      result(i, matrix.row_columns(i)[k]) = matrix.row_values(i)[k];
    }
  }
  return result;
}

}  // namespace spsolve::test
