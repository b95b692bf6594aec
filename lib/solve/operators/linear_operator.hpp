#pragma once

#include <memory>

#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline solve {

/// A square linear operator B over multivectors in bands: a matrix, the inverse of one, a
/// preconditioner. Collective, all of it.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  /// y <- B x and y <- B^T x, of as many columns as x and y have; x and y are different objects.
  virtual void apply(const Vectors& x, Vectors& y) = 0;
  virtual void apply_transposed(const Vectors& x, Vectors& y) = 0;

  /// y <- B^H x, for what goes with the inner product of dots(): B^T x, as B is real.
  void apply_adjoint(const Vectors& x, Vectors& y) { apply_transposed(x, y); }

  /// y <- B x and x^T y for every column, which goes to a row of coefficients.
  virtual void apply_and_dot(const Vectors& x, Vectors& y, const ToRow& sums) {
    apply(x, y);
    dots(x, y, sums);
  }

  /// Whether B is known to be I.
  virtual bool is_identity() const { return false; }
};

/// B^T for an operator B.
class Transposed final : public LinearOperator {
 public:
  explicit Transposed(LinearOperator& of) : of_(of) {}
  void apply(const Vectors& x, Vectors& y) override { of_.apply_transposed(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { of_.apply(x, y); }

 private:
  LinearOperator& of_;
};

}  // namespace spsolve::solve
