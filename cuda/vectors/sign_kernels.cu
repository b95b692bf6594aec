#include "cuda/vectors/reductions.cuh"
#include "cuda/vectors/sign_kernels.hpp"

namespace spsolve::cuda::inline vectors {

using namespace reductions;

namespace {

struct TwoSums {
  static constexpr int kinds = 2;
  __device__ static double both(int, double a, double b) { return a + b; }
};

/// Sums of |x y| and numbers of changes as x takes the signs of y.
struct Signs : TwoSums {
  const double* y;
  double* x;

  Signs(const double* from, double* to) : y(from), x(to) {}
  template <int pack>
  struct Of : Rewriting<pack> {
    using typename Rewriting<pack>::Term;

    __device__ void include(Index at, Term& term, double (&result)[kinds * pack]) const {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        double& own = term.x.elements[c];
        const bool was_negative = signbit(own), is_negative = term.y[c] < 0;
        const double size = fabs(own);
        result[c] = fma(size, fabs(term.y[c]), result[c]);
        result[pack + c] += was_negative != is_negative ? 1 : 0;
        own = is_negative ? -size : size;
      }
      this->store(at, term);
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index) const {
    return {{y, x}};
  }
};

/// The largest of height - i over rows whose elements have these magnitudes.
struct FirstRows : Maxima {
  Factors magnitudes;  ///< of the columns of one range
  const double* x;
  Index height, columns;

  FirstRows(const Factors& wanted, const double* of, Index rows, Index width)
      : magnitudes(wanted), x(of), height(rows), columns(width) {}
  template <int pack>
  struct Of {
    struct Term {
      double a[pack];
    };
    const double* x;
    Index height, columns;
    double magnitude[pack];

    __device__ void load(Index at, Term& term) const { load_columns<pack, true>(x + at, term.a); }
    __device__ void include(Index at, Term& term, double (&result)[pack]) const {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        if (fabs(term.a[c]) != magnitude[c]) continue;
        result[c] = larger(result[c], static_cast<double>(height - at / columns));
      }
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index column) const {
    Of<pack> of{x, height, columns, {}};
#pragma unroll
    for (int c = 0; c < pack; ++c) of.magnitude[c] = magnitudes.values[(column + c) % most_columns];
    return of;
  }
};

__global__ void largest_of_rows_kernel(const double* y, const double* z, Index height,
                                       Index columns, double* x) {
  const Index i = thread_index();
  if (i >= height) return;
  double largest = 0;
  for (Index c = 0; c < columns; ++c) {
    largest = larger(largest, fabs(y[i * columns + c]) + fabs(z[i * columns + c]));
  }
  x[i] = largest;
}

}  // namespace

void take_signs(const double* y, double* x, Index height, Index columns, const ReductionRoom& room,
                double* sums, double* changes, cudaStream_t stream) {
  reduce(in_packs(x, columns) && in_packs(y, columns), Signs(y, x), height, columns, 0,
         ranges(columns), room, {{sums, changes}}, stream);
}

void rows_from_first(std::span<const double> magnitudes, const double* x, Index height,
                     const ReductionRoom& room, double* left, cudaStream_t stream) {
  const auto columns = static_cast<Index>(magnitudes.size());
  for (unsigned range = 0; range < ranges(columns); ++range) {
    const Factors wanted = factors_from(magnitudes, static_cast<Index>(range) * most_columns);
    reduce(in_packs(x, columns), FirstRows(wanted, x, height, columns), height, columns, range, 1,
           room, {{left, nullptr}}, stream);
  }
}

void largest_of_rows(const double* y, const double* z, Index height, Index columns, double* x,
                     cudaStream_t stream) {
  if (height == 0) return;
  largest_of_rows_kernel<<<grid_for(height, threads), threads, 0, stream>>>(y, z, height, columns,
                                                                            x);
  check_launch("largest_of_rows");
}

void load_sign_kernels() {
  const auto load = [](auto... kernels) {
    cudaFuncAttributes attributes;
    (CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernels)), ...);
  };
  load(reduce_kernel<1, Signs>, reduce_kernel<widest_pack, Signs>, reduce_kernel<1, FirstRows>,
       reduce_kernel<widest_pack, FirstRows>, largest_of_rows_kernel);
}

}  // namespace spsolve::cuda::vectors
