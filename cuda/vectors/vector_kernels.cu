#include <cstdint>

#include "cuda/core/launch.cuh"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/vectors/by_columns.cuh"
#include "cuda/vectors/vector_kernels.hpp"
#include "matrix/random.hpp"

namespace spsolve::cuda::inline vectors {

namespace {

__global__ void fill_kernel(double* x, Index count, double value) {
  for (Index i = thread_index(); i < count; i += thread_count()) x[i] = value;
}

__global__ void fill_random_kernel(double* x, Index count, Index first, std::uint64_t key) {
  for (Index i = thread_index(); i < count; i += thread_count()) {
    x[i] = symmetric_interval(random_bits(key, static_cast<std::uint64_t>(first + i)));
  }
}

template <int pack>
__global__ void copy_kernel(const double* y, Index y_stride, double* x, Index x_stride,
                            Index height, int per_row) {
  wait_for_previous_launch();
  for_packs(height, per_row, [&](Index i, int place) {
    pack_at<pack>(x + i * x_stride, place) = pack_at<pack>(y + i * y_stride, place);
  });
}

template <int pack>
__global__ void add_multiples_kernel(const __grid_constant__ Factors factors, const double* y,
                                     double* x, Index stride, Index height, int per_row) {
  wait_for_previous_launch();
  const int first = static_cast<int>(threadIdx.x) % per_row * pack;
  double factor[pack];
#pragma unroll
  for (int c = 0; c < pack; ++c) factor[c] = factors.values[first + c];
  for_packs(height, per_row, [&](Index i, int place) {
    const Packed<double, pack> theirs = pack_at<pack>(y + i * stride, place);
    Packed<double, pack> mine = pack_at<pack>(x + i * stride, place);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      mine.elements[c] = fma(factor[c], theirs.elements[c], mine.elements[c]);
    }
    pack_at<pack>(x + i * stride, place) = mine;
  });
}

template <int pack>
__global__ void combine_kernel(const __grid_constant__ Factors own,
                               const __grid_constant__ Factors factors, const double* y, double* x,
                               Index stride, Index height, int per_row) {
  wait_for_previous_launch();
  const int first = static_cast<int>(threadIdx.x) % per_row * pack;
  double kept[pack], factor[pack];
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    kept[c] = own.values[first + c];
    factor[c] = factors.values[first + c];
  }
  for_packs(height, per_row, [&](Index i, int place) {
    const Packed<double, pack> theirs = pack_at<pack>(y + i * stride, place);
    Packed<double, pack> mine = pack_at<pack>(x + i * stride, place);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      const double rest = kept[c] == 0 ? 0.0 : kept[c] * mine.elements[c];
      mine.elements[c] = fma(factor[c], theirs.elements[c], rest);
    }
    pack_at<pack>(x + i * stride, place) = mine;
  });
}

template <int pack>
__global__ void step_and_turn_kernel(const __grid_constant__ Factors wanted,
                                     QuotientTimes<double> step, QuotientTimes<const double> turn,
                                     double* p, Index stride, Index first_column, Index height,
                                     int per_row) {
  wait_for_previous_launch();
  const int first = static_cast<int>(threadIdx.x) % per_row * pack;
  double steps[pack], turns[pack];
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    steps[c] = quotient_of(step.t, first_column + first + c, wanted.values[first + c]);
    turns[c] = quotient_of(turn.t, first_column + first + c, wanted.values[first + c]);
  }
  for_packs(height, per_row, [&](Index i, int place) {
    const Index row = i * stride + first_column;
    const Packed<double, pack> theirs = pack_at<pack>(turn.values + row, place);
    Packed<double, pack> x = pack_at<pack>(step.values + row, place);
    Packed<double, pack> mine = pack_at<pack>(p + row, place);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      x.elements[c] = fma(steps[c], mine.elements[c], x.elements[c]);
      const double kept = turns[c] == 0 ? 0.0 : turns[c] * mine.elements[c];
      mine.elements[c] = kept + theirs.elements[c];
    }
    pack_at<pack>(step.values + row, place) = x;
    pack_at<pack>(p + row, place) = mine;
  });
}

template <int pack>
__global__ void add_scaled_rows_kernel(double own, double factor, const double* d, const double* y,
                                       double* x, Index stride, Index height, int per_row) {
  wait_for_previous_launch();
  for_packs(height, per_row, [&](Index i, int place) {
    const double of_row = factor * d[i];
    const Packed<double, pack> theirs = pack_at<pack>(y + i * stride, place);
    Packed<double, pack> mine = {};
    if (own != 0) mine = pack_at<pack>(x + i * stride, place);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      mine.elements[c] = fma(of_row, theirs.elements[c], own * mine.elements[c]);
    }
    pack_at<pack>(x + i * stride, place) = mine;
  });
}

template <int pack>
__global__ void scale_columns_kernel(const __grid_constant__ Factors factors, double* x,
                                     Index stride, Index height, int per_row) {
  wait_for_previous_launch();
  const int first = static_cast<int>(threadIdx.x) % per_row * pack;
  double factor[pack];
#pragma unroll
  for (int c = 0; c < pack; ++c) factor[c] = factors.values[first + c];
  for_packs(height, per_row, [&](Index i, int place) {
    Packed<double, pack> mine = pack_at<pack>(x + i * stride, place);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      mine.elements[c] = factor[c] == 0 ? 0.0 : factor[c] * mine.elements[c];
    }
    pack_at<pack>(x + i * stride, place) = mine;
  });
}

template <int pack>
__global__ void scale_rows_kernel(const double* d, double* x, Index stride, Index height,
                                  int per_row) {
  wait_for_previous_launch();
  for_packs(height, per_row, [&](Index i, int place) {
    const double factor = d[i];
    Packed<double, pack> mine = pack_at<pack>(x + i * stride, place);
#pragma unroll
    for (int c = 0; c < pack; ++c) mine.elements[c] *= factor;
    pack_at<pack>(x + i * stride, place) = mine;
  });
}

}  // namespace

void fill(double* x, Index count, double value, cudaStream_t stream) {
  if (count == 0) return;
  fill_kernel<<<grid_for(count, threads), threads, 0, stream>>>(x, count, value);
  check_launch("fill");
}

void fill_random(double* x, Index count, Index first, Index seed, cudaStream_t stream) {
  if (count == 0) return;
  fill_random_kernel<<<grid_for(count, threads), threads, 0, stream>>>(
      x, count, first, mix_bits(static_cast<std::uint64_t>(seed)));
  check_launch("fill_random");
}

void copy_columns(const double* y, Index y_stride, double* x, Index x_stride, Index height,
                  Index count, cudaStream_t stream) {
  const bool aligned = in_packs(y, y_stride) && in_packs(x, x_stride);
  by_columns(
      aligned, height, count,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(copy_kernel<pack>, grid, threads, 0, true, stream, y + first, y_stride,
                            x + first, x_stride, height, packs);
      });
}

void add_multiples(std::span<const double> factors, const double* y, double* x, Index height,
                   cudaStream_t stream) {
  const auto columns = static_cast<Index>(factors.size());
  by_columns(
      in_packs(y, columns) && in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(add_multiples_kernel<pack>, grid, threads, 0, true, stream,
                            factors_from(factors, first), y + first, x + first, columns, height,
                            packs);
      });
}

void combine(std::span<const double> own, std::span<const double> factors, const double* y,
             double* x, Index height, cudaStream_t stream) {
  const auto columns = static_cast<Index>(factors.size());
  by_columns(
      in_packs(y, columns) && in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(combine_kernel<pack>, grid, threads, 0, true, stream,
                            factors_from(own, first), factors_from(factors, first), y + first,
                            x + first, columns, height, packs);
      });
}

void step_and_turn(std::span<const double> wanted, const QuotientTimes<double>& step,
                   const QuotientTimes<const double>& turn, double* p, Index height,
                   cudaStream_t stream) {
  const auto columns = static_cast<Index>(wanted.size());
  const bool aligned =
      in_packs(step.values, columns) && in_packs(turn.values, columns) && in_packs(p, columns);
  by_columns(
      aligned, height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(step_and_turn_kernel<pack>, grid, threads, 0, true, stream,
                            factors_from(wanted, first), step, turn, p, columns, first, height,
                            packs);
      });
}

void add_scaled_rows(double own, double factor, const double* d, const double* y, double* x,
                     Index height, Index columns, cudaStream_t stream) {
  by_columns(
      in_packs(y, columns) && in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(add_scaled_rows_kernel<pack>, grid, threads, 0, true, stream, own,
                            factor, d, y + first, x + first, columns, height, packs);
      });
}

void scale_columns(std::span<const double> factors, double* x, Index height, cudaStream_t stream) {
  const auto columns = static_cast<Index>(factors.size());
  by_columns(
      in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(scale_columns_kernel<pack>, grid, threads, 0, true, stream,
                            factors_from(factors, first), x + first, columns, height, packs);
      });
}

void scale_rows(const double* d, double* x, Index height, Index columns, cudaStream_t stream) {
  by_columns(
      in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(scale_rows_kernel<pack>, grid, threads, 0, true, stream, d, x + first,
                            columns, height, packs);
      });
}

}  // namespace spsolve::cuda::vectors
