// The error terms below rely on every product and sum being rounded by itself: this file is
// compiled with -ffp-contract=off (see CMakeLists.txt).

#include "eliminate/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spsolve {

namespace {

/// A sum in two pieces, high + low.
struct TwofoldSum {
  double high = 0, low = 0;

  /// Adds -a b: the product's rounding error by a fused multiply-add, the sum's after Knuth.
  void subtract_product(double a, double b) {
    const double product = -a * b;
    const double product_error = std::fma(-a, b, -product);
    const double sum = high + product;
    const double part = sum - high;
    const double sum_error = (high - (sum - part)) + (product - part);
    high = sum;
    low += sum_error + product_error;
  }

  double value() const { return high + low; }
};

/// |r| / scale with 0 / 0 = 0: an exact zero equation is solved exactly.
double ratio(double residual, double scale) {
  if (residual == 0) return 0;
  const double value = residual / finite_bound(scale);
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

ResidualNorms empty_norms(Index columns) {
  const std::vector<double> zeros(static_cast<std::size_t>(columns));
  return {zeros, zeros, zeros, 0, 0};
}

void include(ResidualNorms& norms, const ResidualNorms& others) {
  for (std::size_t c = 0; c < norms.residual.size(); ++c) {
    norms.residual[c] = larger(norms.residual[c], others.residual[c]);
    norms.right_hand_side[c] = larger(norms.right_hand_side[c], others.right_hand_side[c]);
    norms.solution[c] = larger(norms.solution[c], others.solution[c]);
  }
  norms.matrix = larger(norms.matrix, others.matrix);
  norms.componentwise = larger(norms.componentwise, others.componentwise);
}

}  // namespace

double finite_bound(double scale) {
  return std::min(scale, std::numeric_limits<double>::max());
}

double larger(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}

ResidualNorms residual_of_own_rows(const Csr<double>& band, Range mine, const Dense<double>& b,
                                   const Dense<double>& x, Dense<double>& residual) {
  const Index columns = b.columns;
  ResidualNorms norms = empty_norms(columns);
#pragma omp parallel
  {
    ResidualNorms own = empty_norms(columns);
    std::vector<TwofoldSum> sums(static_cast<std::size_t>(columns));
    std::vector<double> scale(static_cast<std::size_t>(columns));
#pragma omp for schedule(static) nowait
    for (Index i = mine.first; i < mine.last; ++i) {
      const auto row_columns = band.row_columns(i - mine.first);
      const auto row_values = band.row_values(i - mine.first);
      for (Index c = 0; c < columns; ++c) {
        sums[c] = {b(i, c), 0};
        scale[c] = std::abs(b(i, c));
      }
      double row_sum = 0;
      for (std::size_t k = 0; k < row_columns.size(); ++k) {
        const double a = row_values[k];
        const double* x_row = x.row(row_columns[k]);
        row_sum += std::abs(a);
        for (Index c = 0; c < columns; ++c) {
          sums[c].subtract_product(a, x_row[c]);
          scale[c] += std::abs(a * x_row[c]);
        }
      }
      own.matrix = larger(own.matrix, row_sum);
      for (Index c = 0; c < columns; ++c) {
        const double r = sums[c].value();
        residual(i, c) = r;
        own.residual[c] = larger(own.residual[c], std::abs(r));
        own.right_hand_side[c] = larger(own.right_hand_side[c], std::abs(b(i, c)));
        own.solution[c] = larger(own.solution[c], std::abs(x(i, c)));
        own.componentwise = larger(own.componentwise, ratio(std::abs(r), scale[c]));
      }
    }
    // Maxima: the same in whatever order the threads come.
#pragma omp critical(spsolve_residual_norms)
    include(norms, own);
  }
  return norms;
}

}  // namespace spsolve
