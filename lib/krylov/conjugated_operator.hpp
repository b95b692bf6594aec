#pragma once

#include <memory>

#include "matrix/real_form.hpp"
#include "solve/operators/linear_operator.hpp"
#include "vectors/band_matrix.hpp"

namespace spsolve::inline krylov {

/// The real form of a complex matrix that rows in bands are, of whole numbers on every rank.
/// Collective.
RealFormKind real_form_of(const BandMatrix& matrix);

/// C of conjugate_rows() as the diagonal of it: 1 for rows of real parts, -1 for those of imaginary
/// ones. Where rows of a real form have these signs, C times it is the plain form again.
std::unique_ptr<Vectors> signs_of_rows(const BandMatrix& matrix);

/// C B, or B C, for a linear operator B.
class ConjugatedOperator final : public LinearOperator {
 public:
  enum class Side { left, right };
  ConjugatedOperator(LinearOperator& of, Side side, const Vectors& signs)
      : of_(of), side_(side), signs_(signs) {}

  void apply(const Vectors& x, Vectors& y) override { apply(side_, false, x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override {
    apply(side_ == Side::left ? Side::right : Side::left, true, x, y);
  }

 private:
  void apply(Side side, bool transposed, const Vectors& x, Vectors& y);

  LinearOperator& of_;
  Side side_;
  const Vectors& signs_;
};

}  // namespace spsolve::krylov
