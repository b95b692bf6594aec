#pragma once

#include <memory>
#include <string>

#include "solve/operators/linear_operator.hpp"
#include "solve/operators/options.hpp"
#include "solve/operators/system_matrix.hpp"

namespace spsolve::inline krylov {

/// The null space of a singular matrix A, as it was named: orthonormal vectors N with A N = 0.
/// Collective, all of it.
class NullSpace {
 public:
  /// The null space of options.null_space, which names one. Throws Error(input) on every rank where
  /// the vectors depend on each other, or A does not take them to zero but for round-off.
  NullSpace(SystemMatrix& matrix, const SolverOptions& options);

  Index dimension() const { return vectors_->columns(); }

  /// "constants", or how many vectors of which file.
  const std::string& words() const { return words_; }

  /// X <- X - N N^T X: the part that is orthogonal to the null space.
  void project(Vectors& x) const;

  /// max over the columns of ||N^T b||_2 / ||b||_2; 0 for b = 0.
  double part_of(const Vectors& b) const;

 private:
  std::unique_ptr<Vectors> vectors_;
  std::string words_;
};

/// (I - N N^T) M^-1 for a null space N: what steps are made of stays orthogonal to it.
class Projected final : public LinearOperator {
 public:
  Projected(LinearOperator& inverse, const NullSpace& null_space)
      : inverse_(inverse), null_space_(null_space) {}
  void apply(const Vectors& x, Vectors& y) override {
    inverse_.apply(x, y);
    null_space_.project(y);
  }
  void apply_transposed(const Vectors& x, Vectors& y) override {
    inverse_.apply_transposed(x, y);
    null_space_.project(y);
  }

 private:
  LinearOperator& inverse_;
  const NullSpace& null_space_;
};

/// Whether A takes vectors of equal elements to zero, but for round-off. Collective: a product.
bool takes_constants_to_zero(SystemMatrix& matrix);

/// The vectors of the null space that is named, 0 where none is. Throws Error(input) where its file
/// is not `rows` x some vectors, fewer than rows. Looks at the file on this rank.
Index null_vectors(const SolverOptions& options, Index rows);

}  // namespace spsolve::krylov
