// The error terms below rely on every product and sum being rounded by itself: this file is
// compiled with -ffp-contract=off (see CMakeLists.txt).

#include "vectors/products/host_residual.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"

namespace spsolve::inline vectors {

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

/// The largest of numbers >= 0, or nan where one is; by eight, which compilers make vectors of.
class LargestOf {
 public:
  template <typename Number>
  void include(Index count, const Number& number) {
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
#pragma omp simd
      for (Index lane = 0; lane < lanes; ++lane) {
        largest_[lane] = larger(largest_[lane], number(i + lane));
      }
    }
    for (; i < count; ++i) largest_[0] = larger(largest_[0], number(i));
  }

  double value() const {
    double all = 0;
    for (const double value : largest_) all = larger(all, value);
    return all;
  }

 private:
  static constexpr Index lanes = 8;
  double largest_[lanes] = {};
};

ResidualNorms empty_norms(Index columns) {
  const std::vector<double> zeros(static_cast<std::size_t>(columns));
  return {zeros, zeros, zeros, 0, 0, 0};
}

void include(ResidualNorms& norms, const ResidualNorms& others) {
  for (std::size_t c = 0; c < norms.residual.size(); ++c) {
    norms.residual[c] = larger(norms.residual[c], others.residual[c]);
    norms.right_hand_side[c] = larger(norms.right_hand_side[c], others.right_hand_side[c]);
    norms.solution[c] = larger(norms.solution[c], others.solution[c]);
  }
  norms.matrix = larger(norms.matrix, others.matrix);
  norms.inverse_row = larger(norms.inverse_row, others.inverse_row);
  norms.componentwise = larger(norms.componentwise, others.componentwise);
}

/// The residual of one column without a halo, with the same bits: row by row, and the maxima of
/// some rows after them, in vectors.
ResidualNorms residual_of_one(const Csr<double>& rows, const double* b, const double* x, double* r,
                              double* magnitudes) {
  constexpr Index at_once = 64;
  ResidualNorms norms = empty_norms(1);
  const LocalIndex* const places = rows.column_indices.data();
  const double* const values = rows.values.data();
#pragma omp parallel if (worth_threads(rows.nonzeros()))
  {
    LargestOf residual, right_hand_side, solution, matrix, inverse_row, componentwise;
#pragma omp for schedule(static) nowait
    for (Index first = 0; first < rows.rows; first += at_once) {
      const Index count = std::min(at_once, rows.rows - first);
      double scales[at_once], row_sums[at_once];
      for (Index i = 0; i < count; ++i) {
        const Index row = first + i;
        TwofoldSum sum{b[row], 0};
        double scale = std::abs(b[row]), row_sum = 0;
        for (Index k = rows.row_offsets[row]; k < rows.row_offsets[row + 1]; ++k) {
          const double a = values[k], element = x[places[k]];
          row_sum += std::abs(a);
          sum.subtract_product(a, element);
          scale += std::abs(a * element);
        }
        r[row] = sum.value();
        scales[i] = scale;
        row_sums[i] = row_sum;
      }
      matrix.include(count, [&](Index i) { return row_sums[i]; });
      inverse_row.include(count, [&](Index i) { return 1 / row_sums[i]; });
      residual.include(count, [&](Index i) { return std::abs(r[first + i]); });
      right_hand_side.include(count, [&](Index i) { return std::abs(b[first + i]); });
      solution.include(count, [&](Index i) { return std::abs(x[first + i]); });
      if (magnitudes != nullptr) std::copy_n(scales, count, magnitudes + first);
      componentwise.include(
          count, [&](Index i) { return relative_error(std::abs(r[first + i]), scales[i]); });
    }
#pragma omp critical(spsolve_residual_norms)
    include(norms, {{residual.value()},
                    {right_hand_side.value()},
                    {solution.value()},
                    matrix.value(),
                    inverse_row.value(),
                    componentwise.value()});
  }
  return norms;
}

}  // namespace

ResidualNorms host_residual(const Csr<double>& rows, const HostVectors& right,
                            const HostVectors& own, const HaloView& halo, HostVectors& result,
                            HostVectors* scales) {
  const LocalRows solution{own.row(0), own.height(), halo};
  const Index columns = right.columns();
  if (columns == 1 && halo.rows == 0) {
    return residual_of_one(rows, right.row(0), own.row(0), result.row(0),
                           scales != nullptr ? scales->row(0) : nullptr);
  }
  ResidualNorms norms = empty_norms(columns);
#pragma omp parallel if (worth_threads(rows.nonzeros() * columns))
  {
    ResidualNorms of_thread = empty_norms(columns);
    std::vector<TwofoldSum> sums(static_cast<std::size_t>(columns));
    std::vector<double> scale(static_cast<std::size_t>(columns));
#pragma omp for schedule(static) nowait
    for (Index i = 0; i < rows.rows; ++i) {
      const auto places = rows.row_columns(i);
      const auto values = rows.row_values(i);
      for (Index c = 0; c < columns; ++c) {
        sums[c] = {right.row(i)[c], 0};
        scale[c] = std::abs(right.row(i)[c]);
      }
      double row_sum = 0;
      for (std::size_t k = 0; k < places.size(); ++k) {
        const double a = values[k];
        const double* const element = solution.row(places[k]);
        row_sum += std::abs(a);
        for (Index c = 0; c < columns; ++c) {
          sums[c].subtract_product(a, element[c]);
          scale[c] += std::abs(a * element[c]);
        }
      }
      of_thread.matrix = larger(of_thread.matrix, row_sum);
      of_thread.inverse_row = larger(of_thread.inverse_row, 1 / row_sum);
      for (Index c = 0; c < columns; ++c) {
        const double value = sums[c].value();
        result.row(i)[c] = value;
        if (scales != nullptr) scales->row(i)[c] = scale[c];
        of_thread.residual[c] = larger(of_thread.residual[c], std::abs(value));
        of_thread.right_hand_side[c] =
            larger(of_thread.right_hand_side[c], std::abs(right.row(i)[c]));
        of_thread.solution[c] = larger(of_thread.solution[c], std::abs(own.row(i)[c]));
        of_thread.componentwise =
            larger(of_thread.componentwise, relative_error(std::abs(value), scale[c]));
      }
    }
    // Maxima: the same in whatever order the threads come.
#pragma omp critical(spsolve_residual_norms)
    include(norms, of_thread);
  }
  return norms;
}

}  // namespace spsolve::vectors
