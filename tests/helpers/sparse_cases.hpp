#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "helpers/reference.hpp"
#include "helpers/whole_elimination.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "sparse/ranks/column_blocks.hpp"

namespace spsolve::test {

/// Calls work(matrix, kind) with small matrices of all sorts, and with each kind of factorisation
/// that a matrix allows.
void for_sparse_cases(const std::function<void(const Csr<double>&, Factorization)>& work);

/// A symmetric matrix of hubs: 90 unknowns that are coupled with each other and with 400 leaves, a
/// few to a leaf; 20 more, coupled with each other, some of those and 150 leaves. Fronts of both
/// have many children with small borders.
Csr<double> hubs();

/// A + shift I, where the diagonal of A is there.
Csr<double> shifted(Csr<double> matrix, double shift);

/// The analysis with rows matched where the diagonal is weak.
std::shared_ptr<const SparseAnalysis> analysis_of(const Csr<double>& matrix, Factorization kind,
                                                  Ordering ordering = Ordering::automatic,
                                                  bool divides = true);

/// By which the GPUs of a team share fronts that are small enough for tests, too.
inline SharingRule sharing_small_fronts() {
  SharingRule rule = SharingRule::of(Factorization::lu, MemoryKind::gpu);
  rule.worth_sharing = 2e4;
  rule.narrowest = 64;
  rule.widest = 128;
  rule.costs = 0;
  rule.part = 64;
  return rule;
}

/// Random right-hand sides, always the same.
inline Dense<double> right_hand_sides(Index rows, Index columns) {
  return random_multivector(rows, columns, 7);
}

/// A^-1 b, or A^-T b.
template <typename T>
Dense<double> solved(WholeElimination<T>& elimination, bool transposed, const Dense<double>& b) {
  std::vector<T> right(b.values.begin(), b.values.end()), x;
  elimination.solve(transposed, b.columns, right, x);
  Dense<double> result(b.rows, b.columns);
  std::copy(x.begin(), x.end(), result.values.begin());
  return result;
}

/// The backward error of a solve with so many right_hand_sides() by the factors of `matrix`.
template <typename T>
double error_of_solve(const Csr<double>& matrix, WholeElimination<T>& elimination, bool transposed,
                      Index columns) {
  const Dense<double> b = right_hand_sides(matrix.rows, columns);
  return backward_error(transposed ? transpose(matrix) : matrix, b,
                        solved(elimination, transposed, b));
}

}  // namespace spsolve::test
