#pragma once

// The sums that products with rows add up for one row and `pack` columns: values[c] in the end,
// after add() for each element of the row, include() of other lanes' parts and finish() of row i.

#include <utility>

#include "cuda/vectors/products/band_product_kernels.hpp"
#include "cuda/vectors/products/row_lanes.cuh"

namespace spsolve::cuda::inline vectors::row_sums {

using row_lanes::from_lane_behind;

/// The sum over j of a_ij x_j.
template <int pack>
struct PlainSum {
  static constexpr int numbers = pack;

  double values[pack] = {};

  __device__ void add(double a, const double (&x)[pack]) {
#pragma unroll
    for (int c = 0; c < pack; ++c) values[c] = fma(a, x[c], values[c]);
  }
  __device__ void clear() {
#pragma unroll
    for (double& value : values) value = 0;
  }
  __device__ void include(const PlainSum& other) {
#pragma unroll
    for (int c = 0; c < pack; ++c) values[c] += other.values[c];
  }
  __device__ PlainSum of_lane_behind(int distance) const {
    PlainSum other;
#pragma unroll
    for (int c = 0; c < pack; ++c) other.values[c] = from_lane_behind(values[c], distance);
    return other;
  }
  __device__ PlainSum of_lane(int lane) const {
    PlainSum other;
#pragma unroll
    for (int c = 0; c < pack; ++c) other.values[c] = __shfl_sync(whole_warp, values[c], lane);
    return other;
  }
  /// Calls visit(number) for all that has been added up, by reference.
  template <typename Visit>
  __device__ void each_number(const Visit& visit) {
#pragma unroll
    for (double& value : values) visit(value);
  }
  __device__ void finish(Index, Index) {}
};

/// b - the sum
template <int pack>
struct DifferenceSum : PlainSum<pack> {
  const double* b;
  Index columns;

  DifferenceSum(const double* from, Index count) : b(from), columns(count) {}
  __device__ void finish(Index i, Index column) {
    const double* const from = b + i * columns + column;  // b may be what the result goes to
#pragma unroll
    for (int c = 0; c < pack; ++c) this->values[c] = from[c] - this->values[c];
  }
};

/// The old value of y + the sum
template <int pack>
struct AddedSum : PlainSum<pack> {
  const double* y;
  Index columns;

  AddedSum(const double* to, Index count) : y(to), columns(count) {}
  __device__ void finish(Index i, Index column) {
    const double* const held = y + i * columns + column;
#pragma unroll
    for (int c = 0; c < pack; ++c) this->values[c] += held[c];
  }
};

/// A step of relaxation with the sum.
template <int pack>
struct RelaxedSum : PlainSum<pack> {
  Relaxation step;
  const double* x;
  const double* y;
  Index columns;

  RelaxedSum(const Relaxation& to, const double* from, const double* held, Index count)
      : step(to), x(from), y(held), columns(count) {}
  __device__ void finish(Index i, Index column) {
    const Index at = i * columns + column;
    const double of_row = step.factor * __ldg(step.inverse + i);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      const double kept = step.of_y == 0 ? 0.0 : step.of_y * y[at + c];
      this->values[c] =
          fma(of_row, step.b[at + c] - this->values[c], fma(step.of_x, x[at + c], kept));
    }
  }
};

template <int pack>
struct MagnitudeSum : PlainSum<pack> {
  double h;

  explicit MagnitudeSum(double factor) : h(factor) {}
  __device__ void add(double a, const double (&x)[pack]) {
    const double scaled = fabs(a * h * h);
#pragma unroll
    for (int c = 0; c < pack; ++c) this->values[c] = fma(scaled, fabs(x[c]), this->values[c]);
  }
};

/// One sum for each row of a group of at most `most`.
template <int most, typename Sum>
struct GroupSums {
  Sum of[most];

  __device__ explicit GroupSums(const Sum& start)
      : GroupSums(start, std::make_integer_sequence<int, most>{}) {}

 private:
  template <int... row>
  __device__ GroupSums(const Sum& start, std::integer_sequence<int, row...>)
      : of{(static_cast<void>(row), start)...} {}
};

}  // namespace spsolve::cuda::vectors::row_sums
