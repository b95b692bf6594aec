#include "cuda/vectors/by_columns.cuh"
#include "cuda/vectors/complex_kernels.hpp"
#include "cuda/vectors/reductions.cuh"

namespace spsolve::cuda::inline vectors {

using namespace reductions;

namespace {

/// Real and imaginary parts of so many columns of one row.
template <int pack>
struct Parts {
  double re[pack], im[pack];
};

/// Parts that lie `columns` apart; of one column they are loaded together.
template <int pack>
__device__ Parts<pack> parts_at(const double* row, Index columns) {
  Parts<pack> parts;
  if (pack == 1 && columns == 1) {
    const Packed<double, 2> both = pack_at<2>(row, 0);
    parts.re[0] = both.elements[0];
    parts.im[0] = both.elements[1];
    return parts;
  }
  const Packed<double, pack> re = pack_at<pack>(row, 0), im = pack_at<pack>(row + columns, 0);
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    parts.re[c] = re.elements[c];
    parts.im[c] = im.elements[c];
  }
  return parts;
}

template <int pack>
__device__ void store(const Parts<pack>& parts, double* row, Index columns) {
  if (pack == 1 && columns == 1) {
    pack_at<2>(row, 0) = {parts.re[0], parts.im[0]};
    return;
  }
  Packed<double, pack> re, im;
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    re.elements[c] = parts.re[c];
    im.elements[c] = parts.im[c];
  }
  pack_at<pack>(row, 0) = re;
  pack_at<pack>(row + columns, 0) = im;
}

/// Complex factors of the columns of one launch.
struct ComplexFactors {
  Factors re, im;
};

ComplexFactors factors_from(std::span<const std::complex<double>> all, Index first) {
  ComplexFactors factors = {};
  for (std::size_t c = 0; c < most_columns; ++c) {
    const std::size_t from = static_cast<std::size_t>(first) + c;
    if (from >= all.size()) break;
    factors.re.values[c] = all[from].real();
    factors.im.values[c] = all[from].imag();
  }
  return factors;
}

template <int pack>
__global__ void combine_complex_kernel(const __grid_constant__ ComplexFactors own,
                                       const __grid_constant__ ComplexFactors factors,
                                       const double* y, double* x, Index columns, Index pairs,
                                       int per_row) {
  wait_for_previous_launch();
  const int first = static_cast<int>(threadIdx.x) % per_row * pack;
  Parts<pack> kept, factor;
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    kept.re[c] = own.re.values[first + c];
    kept.im[c] = own.im.values[first + c];
    factor.re[c] = factors.re.values[first + c];
    factor.im[c] = factors.im.values[first + c];
  }
  for_packs(pairs, per_row, [&](Index i, int place) {
    const Index at = 2 * i * columns + place * pack;
    Parts<pack> mine = parts_at<pack>(x + at, columns), theirs = {};
    if (y != nullptr) theirs = parts_at<pack>(y + at, columns);
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      double re = 0, im = 0;
      if (kept.re[c] != 0 || kept.im[c] != 0) {
        re = kept.re[c] * mine.re[c] - kept.im[c] * mine.im[c];
        im = kept.re[c] * mine.im[c] + kept.im[c] * mine.re[c];
      }
      mine.re[c] = re + (factor.re[c] * theirs.re[c] - factor.im[c] * theirs.im[c]);
      mine.im[c] = im + (factor.re[c] * theirs.im[c] + factor.im[c] * theirs.re[c]);
    }
    store(mine, x + at, columns);
  });
}

/// The sums of conj(x) y, or of x y: real parts are the first kind of results, imaginary ones the
/// second.
template <bool conjugates>
struct ComplexProducts {
  static constexpr int kinds = 2;
  __device__ static double both(int, double a, double b) { return a + b; }

  const double* x;
  const double* y;
  Index columns;

  template <int pack>
  struct Of {
    struct Term {
      Parts<pack> a, b;
    };
    const double* x;
    const double* y;
    Index columns, column;

    /// `at` counts elements of one part: rows i of K, of which those of the array are 2 K apart.
    __device__ void load(Index at, Term& term) const {
      const Index place = 2 * at - column;
      term.a = parts_at<pack>(x + place, columns);
      term.b = parts_at<pack>(y + place, columns);
    }
    __device__ void include(Index, Term& term, double (&result)[kinds * pack]) const {
      constexpr double sign = conjugates ? 1 : -1;
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        const double re = term.a.re[c], im = sign * term.a.im[c];
        result[c] = fma(re, term.b.re[c], fma(im, term.b.im[c], result[c]));
        result[pack + c] = fma(re, term.b.im[c], fma(-im, term.b.re[c], result[pack + c]));
      }
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index column) const {
    return {x, y, columns, column};
  }
};

template <bool conjugates>
void sum_products(const double* x, const double* y, Index pairs, Index columns,
                  const ReductionRoom& room, double* sums, cudaStream_t stream) {
  reduce(in_packs(x, columns) && in_packs(y, columns), ComplexProducts<conjugates>{x, y, columns},
         pairs, columns, 0, ranges(columns), room, {{sums, sums + columns}}, stream);
}

}  // namespace

void combine_complex(std::span<const std::complex<double>> own,
                     std::span<const std::complex<double>> factors, const double* y, double* x,
                     Index pairs, cudaStream_t stream) {
  const auto columns = static_cast<Index>(own.size());
  by_columns(
      in_packs(x, columns) && (y == nullptr || in_packs(y, columns)), pairs, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        launch_programmatic(combine_complex_kernel<pack>, grid, threads, 0, true, stream,
                            factors_from(own, first), factors_from(factors, first),
                            y == nullptr ? nullptr : y + first, x + first, columns, pairs, packs);
      });
}

void complex_column_dots(bool conjugates, const double* x, const double* y, Index pairs,
                         Index columns, const ReductionRoom& room, double* sums,
                         cudaStream_t stream) {
  const auto sum = conjugates ? sum_products<true> : sum_products<false>;
  sum(x, y, pairs, columns, room, sums, stream);
}

}  // namespace spsolve::cuda::vectors
