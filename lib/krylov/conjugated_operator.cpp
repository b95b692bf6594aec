#include "krylov/conjugated_operator.hpp"

namespace spsolve::inline krylov {

RealFormKind real_form_of(const BandMatrix& matrix) {
  const Range own = matrix.own_rows();
  const bool pairs = own.first % complex_parts == 0 && own.last % complex_parts == 0;
  const bool empty = pairs && matrix.local_rows().nonzeros() == 0;
  const RealFormKind mine = pairs ? real_form_kind(matrix.local_rows()) : RealFormKind::none;
  const auto all_are = [&](RealFormKind kind) {
    return all_sum(matrix.team(), empty || mine == kind ? 0 : 1) == 0;
  };
  if (all_are(RealFormKind::plain)) return RealFormKind::plain;
  return all_are(RealFormKind::conjugated) ? RealFormKind::conjugated : RealFormKind::none;
}

std::unique_ptr<Vectors> signs_of_rows(const BandMatrix& matrix) {
  std::unique_ptr<Vectors> signs = matrix.vectors_of_rows(1);
  std::vector<double> values(static_cast<std::size_t>(signs->height()), 1.0);
  for (std::size_t i = 1; i < values.size(); i += complex_parts) values[i] = -1;
  signs->write_rows({0, signs->height()}, values);
  return signs;
}

void ConjugatedOperator::apply(Side side, bool transposed, const Vectors& x, Vectors& y) {
  std::unique_ptr<Vectors> turned;
  if (side == Side::right) {
    turned = copy_of(x);
    turned->scale_rows(signs_);
  }
  const Vectors& from = turned != nullptr ? *turned : x;
  transposed ? of_.apply_transposed(from, y) : of_.apply(from, y);
  if (side == Side::left) y.scale_rows(signs_);
}

}  // namespace spsolve::krylov
