#pragma once

#include <string>
#include <vector>

#include "dense/choice.hpp"
#include "matrix/csr.hpp"

namespace spsolve::test {

/// The choice of lu with these.
inline EliminationChoice lu(Pivoting pivoting, Index block,
                            Precision precision = Precision::float64) {
  return {Method::lu, pivoting, precision, block};
}

/// A square matrix that is hard on an elimination, and why.
struct System {
  std::string name;
  Csr<double> matrix;
};

/// Random, graded, gfpp (worst-case growth), saddle-point, row-scaled and nearly singular matrices
/// of order n.
std::vector<System> difficult_systems(Index n);

/// H_1 diag(s) H_2 for random reflections H = I - 2 v v^T / v^T v, s_i = condition^(-i / (n - 1)):
/// the 2-norm condition number is `condition`, the singular values spread over all decades. n > 1.
Csr<double> with_condition(Index n, double condition, Index seed);

}  // namespace spsolve::test
