#include "krylov/symmetry.hpp"

#include <cmath>

#include "solve/operators/right_hand_side_scaling.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// Whether u^T A v = v^T A u in the field F.
template <typename F>
bool seems_symmetric_in(BandMatrix& matrix) {
  const std::unique_ptr<Vectors> u = matrix.vectors_of_rows(1), v = matrix.vectors_of_rows(1),
                                 product = matrix.vectors_of_rows(1);
  u->fill_random(31);
  v->fill_random(37);
  matrix.apply(*v, *product);
  const F one = bilinear<F>(*u, *product).front();
  const double largest = maxima(*product).front();
  if (largest == 0) return true;
  // Squares of its elements may be no numbers.
  const double factor = right_hand_side_scale(largest);
  product->scale_columns(Columns{factor});
  const double size = norms(*product).front() * norms(*u).front() / factor;
  matrix.apply(*u, *product);
  const F other = bilinear<F>(*v, *product).front();
  constexpr double rounding = 1e-12;
  // Products of tiny entries are rounded to a multiple of the smallest number.
  const double lost = static_cast<double>(matrix.nonzeros()) * 0x1p-1074;
  return std::abs(one - other) <= rounding * size + lost;
}

}  // namespace

bool seems_symmetric(BandMatrix& matrix) {
  return seems_symmetric_in<double>(matrix);
}

bool seems_complex_symmetric(BandMatrix& matrix) {
  return seems_symmetric_in<std::complex<double>>(matrix);
}

}  // namespace spsolve::krylov
