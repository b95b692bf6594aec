#include <type_traits>

#include "core/extremes.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/core/packed.cuh"
#include "cuda/vectors/vector_kernels.hpp"

namespace spsolve::cuda {

namespace {

constexpr int threads = 256;

/// Columns of one launch, and rows that a thread of it goes through where there are enough.
constexpr int most_columns = 64;
constexpr int rows_of_thread = 4;

constexpr int widest_pack = full_pack<double>;

/// Factors of the columns of one launch: they travel with it.
struct Factors {
  double values[most_columns];
};

/// Calls work(i, place) for every pack of the rows: each thread keeps to one place in the row, so
/// that there is one division, and what belongs to a column is loaded once.
template <typename Work>
__device__ void for_packs(Index height, int per_row, const Work& work) {
  const int rows = threads / per_row;
  const int row = static_cast<int>(threadIdx.x) / per_row;
  const int place = static_cast<int>(threadIdx.x) - row * per_row;
  if (row >= rows) return;
#pragma unroll rows_of_thread
  for (Index i = static_cast<Index>(blockIdx.x) * rows + row; i < height;
       i += static_cast<Index>(gridDim.x) * rows) {
    work(i, place);
  }
}

template <int pack>
__device__ Packed<double, pack>& pack_at(double* row, int place) {
  return reinterpret_cast<Packed<double, pack>*>(row)[place];
}
template <int pack>
__device__ const Packed<double, pack>& pack_at(const double* row, int place) {
  return reinterpret_cast<const Packed<double, pack>*>(row)[place];
}

__global__ void fill_kernel(double* x, Index count, double value) {
  for (Index i = thread_index(); i < count; i += thread_count()) x[i] = value;
}

template <int pack>
__global__ void copy_kernel(const double* y, Index y_stride, double* x, Index x_stride,
                            Index height, int per_row) {
  for_packs(height, per_row, [&](Index i, int place) {
    pack_at<pack>(x + i * x_stride, place) = pack_at<pack>(y + i * y_stride, place);
  });
}

template <int pack>
__global__ void add_multiples_kernel(const __grid_constant__ Factors factors, const double* y,
                                     double* x, Index stride, Index height, int per_row) {
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
__global__ void add_scaled_rows_kernel(double own, double factor, const double* d, const double* y,
                                       double* x, Index stride, Index height, int per_row) {
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
  for_packs(height, per_row, [&](Index i, int place) {
    const double factor = d[i];
    Packed<double, pack> mine = pack_at<pack>(x + i * stride, place);
#pragma unroll
    for (int c = 0; c < pack; ++c) mine.elements[c] *= factor;
    pack_at<pack>(x + i * stride, place) = mine;
  });
}

/// Calls launch(pack, first, packs, grid) for ranges of columns that one launch takes: `packs`
/// packs of `pack` columns from column `first` on.
template <typename Launch>
void by_columns(bool aligned, Index height, Index columns, const Launch& launch) {
  const auto with_pack = [&]<int pack>(std::integral_constant<int, pack> size) {
    for (Index first = 0; first < columns; first += most_columns) {
      const int packs = static_cast<int>(std::min<Index>(most_columns, columns - first)) / pack;
      launch(size, first, packs, grid_for(height, threads / packs * rows_of_thread));
    }
  };
  if (height == 0) return;
  if (aligned && columns % widest_pack == 0) {
    with_pack(std::integral_constant<int, widest_pack>{});
  } else {
    with_pack(std::integral_constant<int, 1>{});
  }
}

/// Whether rows can be taken in the widest packs.
bool in_packs(const double* x, Index stride) {
  return rows_aligned(x, stride, sizeof(Packed<double, widest_pack>));
}

Factors factors_from(std::span<const double> all, Index first) {
  Factors factors = {};
  const auto rest = all.subspan(static_cast<std::size_t>(first));
  std::copy_n(rest.begin(), std::min<std::size_t>(rest.size(), most_columns), factors.values);
  return factors;
}

/// What reductions combine: result <- result and the term of place `at`, and two results.
struct Products {
  const double* x;
  const double* y;

  template <int pack>
  __device__ void include(Index at, double (&result)[pack]) const {
    double a[pack], b[pack];
    load_columns<pack, true>(x + at, a);
    load_columns<pack, true>(y + at, b);
#pragma unroll
    for (int c = 0; c < pack; ++c) result[c] = fma(a[c], b[c], result[c]);
  }
  __device__ static double both(double a, double b) {
    return a + b;
  }
};

struct Elements {
  const double* x;

  template <int pack>
  __device__ void include(Index at, double (&result)[pack]) const {
    double a[pack];
    load_columns<pack, true>(x + at, a);
#pragma unroll
    for (int c = 0; c < pack; ++c) result[c] += a[c];
  }
  __device__ static double both(double a, double b) {
    return a + b;
  }
};

struct Magnitudes {
  const double* x;

  template <int pack>
  __device__ void include(Index at, double (&result)[pack]) const {
    double a[pack];
    load_columns<pack, true>(x + at, a);
#pragma unroll
    for (int c = 0; c < pack; ++c) result[c] = larger(result[c], fabs(a[c]));
  }
  __device__ static double both(double a, double b) {
    return larger(a, b);
  }
};

/// Row b of `results` <- the terms of the rows [b chunk, (b + 1) chunk) combined, by blocks of the
/// grid's x; its y counts ranges of columns.
template <int pack, typename Terms>
__global__ void reduce_kernel(Terms terms, Index height, Index columns, Index chunk,
                              double* results) {
  __shared__ double shared[threads * pack];
  const Index first_column = static_cast<Index>(blockIdx.y) * most_columns;
  const Index rest = columns - first_column;
  const int per_row = static_cast<int>(rest < most_columns ? rest : most_columns) / pack;
  const int rows = threads / per_row;
  const int row = static_cast<int>(threadIdx.x) / per_row;
  const int place = static_cast<int>(threadIdx.x) - row * per_row;
  const Index first = static_cast<Index>(blockIdx.x) * chunk;
  const Index last = first + chunk < height ? first + chunk : height;
  double result[pack] = {};
  if (row < rows) {
#pragma unroll 4
    for (Index i = first + row; i < last; i += rows) {
      terms.include(i * columns + first_column + place * pack, result);
    }
  }
  double* const mine = shared + static_cast<int>(threadIdx.x) * pack;
#pragma unroll
  for (int c = 0; c < pack; ++c) mine[c] = result[c];
  for (int distance = threads / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (row < distance && row + distance < rows) {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        mine[c] = Terms::both(mine[c], mine[distance * per_row * pack + c]);
      }
    }
  }
  if (row > 0) return;
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    results[static_cast<Index>(blockIdx.x) * columns + first_column + place * pack + c] = mine[c];
  }
}

Index rows_of_chunk(Index height, Index columns) {
  constexpr Index least_elements = 2048, most_chunks = 1024;
  return std::max((least_elements + columns - 1) / columns,
                  (height + most_chunks - 1) / most_chunks);
}

template <typename Terms>
void reduce(bool aligned, const Terms& terms, Index height, Index columns, Index chunk,
            double* results, cudaStream_t stream) {
  const dim3 grid(grid_for(height, chunk), grid_for(columns, most_columns));
  if (aligned) {
    reduce_kernel<widest_pack>
        <<<grid, threads, 0, stream>>>(terms, height, columns, chunk, results);
  } else {
    reduce_kernel<1><<<grid, threads, 0, stream>>>(terms, height, columns, chunk, results);
  }
}

/// All chunks to `partials` and those to `results`; the one chunk of few rows at once.
template <typename Terms, typename PartialTerms>
void reduce_in_chunks(bool aligned, const Terms& terms, const PartialTerms& of_partials,
                      Index height, Index columns, double* partials, double* results,
                      cudaStream_t stream) {
  if (columns == 0) return;
  const Index chunk = rows_of_chunk(height, columns);
  const Index chunks = reduction_chunks(height, columns);
  if (chunks == 1) {
    reduce(aligned, terms, height, columns, chunk, results, stream);
    return;
  }
  reduce(aligned, terms, height, columns, chunk, partials, stream);
  reduce(in_packs(partials, columns), of_partials, chunks, columns, chunks, results, stream);
}

}  // namespace

void fill(double* x, Index count, double value, cudaStream_t stream) {
  if (count == 0) return;
  fill_kernel<<<grid_for(count, threads), threads, 0, stream>>>(x, count, value);
  check_launch("fill");
}

void copy_columns(const double* y, Index y_stride, double* x, Index x_stride, Index height,
                  Index count, cudaStream_t stream) {
  const bool aligned = in_packs(y, y_stride) && in_packs(x, x_stride);
  by_columns(
      aligned, height, count,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        copy_kernel<pack>
            <<<grid, threads, 0, stream>>>(y + first, y_stride, x + first, x_stride, height, packs);
      });
  check_launch("copy_columns");
}

void add_multiples(std::span<const double> factors, const double* y, double* x, Index height,
                   cudaStream_t stream) {
  const auto columns = static_cast<Index>(factors.size());
  by_columns(
      in_packs(y, columns) && in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        add_multiples_kernel<pack><<<grid, threads, 0, stream>>>(
            factors_from(factors, first), y + first, x + first, columns, height, packs);
      });
  check_launch("add_multiples");
}

void combine(std::span<const double> own, std::span<const double> factors, const double* y,
             double* x, Index height, cudaStream_t stream) {
  const auto columns = static_cast<Index>(factors.size());
  by_columns(
      in_packs(y, columns) && in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        combine_kernel<pack><<<grid, threads, 0, stream>>>(factors_from(own, first),
                                                           factors_from(factors, first), y + first,
                                                           x + first, columns, height, packs);
      });
  check_launch("combine");
}

void add_scaled_rows(double own, double factor, const double* d, const double* y, double* x,
                     Index height, Index columns, cudaStream_t stream) {
  by_columns(
      in_packs(y, columns) && in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        add_scaled_rows_kernel<pack><<<grid, threads, 0, stream>>>(
            own, factor, d, y + first, x + first, columns, height, packs);
      });
  check_launch("add_scaled_rows");
}

void scale_columns(std::span<const double> factors, double* x, Index height, cudaStream_t stream) {
  const auto columns = static_cast<Index>(factors.size());
  by_columns(
      in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        scale_columns_kernel<pack><<<grid, threads, 0, stream>>>(factors_from(factors, first),
                                                                 x + first, columns, height, packs);
      });
  check_launch("scale_columns");
}

void scale_rows(const double* d, double* x, Index height, Index columns, cudaStream_t stream) {
  by_columns(
      in_packs(x, columns), height, columns,
      [&]<int pack>(std::integral_constant<int, pack>, Index first, int packs, unsigned grid) {
        scale_rows_kernel<pack><<<grid, threads, 0, stream>>>(d, x + first, columns, height, packs);
      });
  check_launch("scale_rows");
}

Index reduction_chunks(Index height, Index columns) {
  if (height == 0 || columns == 0) return 1;
  const Index chunk = rows_of_chunk(height, columns);
  return (height + chunk - 1) / chunk;
}

void column_dots(const double* x, const double* y, Index height, Index columns, double* partials,
                 double* sums, cudaStream_t stream) {
  reduce_in_chunks(in_packs(x, columns) && in_packs(y, columns), Products{x, y}, Elements{partials},
                   height, columns, partials, sums, stream);
  check_launch("column_dots");
}

void column_maxima(const double* x, Index height, Index columns, double* partials, double* largest,
                   cudaStream_t stream) {
  reduce_in_chunks(in_packs(x, columns), Magnitudes{x}, Magnitudes{partials}, height, columns,
                   partials, largest, stream);
  check_launch("column_maxima");
}

}  // namespace spsolve::cuda
