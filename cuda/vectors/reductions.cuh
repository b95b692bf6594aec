#pragma once

// How sums and maxima over rows are made: see reduction_kernels.hpp.

#include "core/extremes.hpp"
#include "cuda/core/programmatic_launch.cuh"
#include "cuda/vectors/columns.cuh"
#include "cuda/vectors/reduction_kernels.hpp"

namespace spsolve::cuda::inline vectors::reductions {

/// Thread blocks of a reduction that are at work at once: 4 on each multiprocessor of a large GPU.
inline constexpr int blocks_at_once = 4, multiprocessors = 132;

struct Sums {
  static constexpr int kinds = 1;
  __device__ static double both(int, double a, double b) { return a + b; }
  __device__ static double with_element(double sum, double a) { return sum + a; }
};

struct Maxima {
  static constexpr int kinds = 1;
  __device__ static double both(int, double a, double b) { return larger(a, b); }
  __device__ static double with_element(double most, double a) { return larger(most, fabs(a)); }
};

/// A maximum and a sum.
struct MaximaAndSums {
  static constexpr int kinds = 2;
  __device__ static double both(int kind, double a, double b) {
    return kind == 0 ? larger(a, b) : a + b;
  }
};

// The operation of a reduction, `Terms` in what follows: result <- result and the term of place
// `at`, `kinds` results for each column, those of the first kind first, two of which are combined
// by both(kind, a, b). begin() is called once by every thread, with its first column; several terms
// are loaded before the first of them is included.

/// For terms of two arrays, of which x is written again.
template <int pack>
struct Rewriting {
  struct Term {
    double y[pack];
    Packed<double, pack> x;
  };
  const double* y;
  double* x;

  __device__ void load(Index at, Term& term) const {
    load_columns<pack, true>(y + at, term.y);
    term.x = pack_at<pack>(x + at, 0);
  }
  __device__ void store(Index at, const Term& term) const { pack_at<pack>(x + at, 0) = term.x; }
};

/// Where a thread stands in rows of `packs` packs: it keeps to one pack.
struct PackPosition {
  int rows, row, place;

  __device__ explicit PackPosition(int packs)
      : rows(threads / packs),
        row(static_cast<int>(threadIdx.x) / packs),
        place(static_cast<int>(threadIdx.x) % packs) {}
};

/// Where the results of each kind go.
struct Results {
  double* of_kind[2];
};

/// The results of all rows of the thread block, for its first row of threads.
template <int pack, typename Terms>
__device__ void combine_rows(const PackPosition& at, int packs,
                             double (&result)[Terms::kinds * pack]) {
  constexpr int width = Terms::kinds * pack;
  __shared__ double shared[threads * width];
  double* const mine = shared + static_cast<int>(threadIdx.x) * width;
  __syncthreads();
#pragma unroll
  for (int c = 0; c < width; ++c) mine[c] = result[c];
  for (int distance = threads / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (at.row < distance && at.row + distance < at.rows) {
#pragma unroll
      for (int c = 0; c < width; ++c) {
        mine[c] = Terms::both(c / pack, mine[c], mine[distance * packs * width + c]);
      }
    }
  }
#pragma unroll
  for (int c = 0; c < width; ++c) result[c] = mine[c];
}

/// A chunk of rows to each block of the grid's x; its y counts ranges of columns, `range` the first
/// one.
template <int pack, typename Terms>
__global__ void __launch_bounds__(threads, blocks_at_once)
    reduce_kernel(const __grid_constant__ Terms terms, Index height, Index columns, Index chunk,
                  unsigned range, ReductionRoom room, Results results) {
  constexpr int kinds = Terms::kinds, width = kinds * pack;
  wait_for_previous_launch();
  const Index first_column = static_cast<Index>(range + blockIdx.y) * most_columns;
  const Index rest = columns - first_column;
  const int packs = static_cast<int>(rest < most_columns ? rest : most_columns) / pack;
  const PackPosition at(packs);
  const Index column = first_column + at.place * pack;
  const Index first = static_cast<Index>(blockIdx.x) * chunk;
  const Index last = first + chunk < height ? first + chunk : height;
  double result[width] = {};
  if (at.row < at.rows) {
    using OfColumns = typename Terms::template Of<pack>;
    const OfColumns of_columns = terms.template begin<pack>(column);
    constexpr int batch = 4 / pack;
    const Index step = static_cast<Index>(at.rows) * columns;
    Index place = (first + at.row) * columns + column;
    const Index end = last * columns;
    for (; place + (batch - 1) * step < end; place += batch * step) {
      typename OfColumns::Term loaded[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u) of_columns.load(place + u * step, loaded[u]);
#pragma unroll
      for (int u = 0; u < batch; ++u) of_columns.include(place + u * step, loaded[u], result);
    }
    typename OfColumns::Term rest[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      if (place + u * step < end) of_columns.load(place + u * step, rest[u]);
    }
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      if (place + u * step < end) of_columns.include(place + u * step, rest[u], result);
    }
  }
  combine_rows<pack, Terms>(at, packs, result);
  const bool one_block = gridDim.x == 1;
  // Partial results: for each block and kind, a row of all columns.
  const auto partial = [&](unsigned b, int c) {
    const Index row = static_cast<Index>(b) * kinds + c / pack;
    return room.partials + row * columns + column + c % pack;
  };
  if (at.row == 0) {
#pragma unroll
    for (int c = 0; c < width; ++c) {
      double* const to =
          one_block ? results.of_kind[c / pack] + column + c % pack : partial(blockIdx.x, c);
      *to = result[c];
    }
  }
  if (one_block || !is_last_block(room.tickets + range + blockIdx.y, gridDim.x)) return;
#pragma unroll
  for (int c = 0; c < width; ++c) result[c] = 0;
  if (at.row < at.rows) {
    for (unsigned b = static_cast<unsigned>(at.row); b < gridDim.x;
         b += static_cast<unsigned>(at.rows)) {
#pragma unroll
      for (int c = 0; c < width; ++c) {
        result[c] = Terms::both(c / pack, result[c], __ldcg(partial(b, c)));
      }
    }
  }
  combine_rows<pack, Terms>(at, packs, result);
  if (at.row > 0) return;
#pragma unroll
  for (int c = 0; c < width; ++c) results.of_kind[c / pack][column + c % pack] = result[c];
}

inline Index rows_of_chunk(Index height, Index columns) {
  constexpr Index least_elements = 1024, most_chunks = blocks_at_once * multiprocessors;
  return std::max((least_elements + columns - 1) / columns,
                  (height + most_chunks - 1) / most_chunks);
}

/// Ranges `range` to range + count - 1 of columns.
template <typename Terms>
void reduce(bool aligned, const Terms& terms, Index height, Index columns, unsigned range,
            unsigned count, const ReductionRoom& room, const Results& results,
            cudaStream_t stream) {
  if (columns == 0) return;
  const Index chunk = rows_of_chunk(height, columns);
  const dim3 grid(static_cast<unsigned>(reduction_chunks(height, columns)), count);
  launch_programmatic(aligned ? reduce_kernel<widest_pack, Terms> : reduce_kernel<1, Terms>, grid,
                      threads, 0, true, stream, terms, height, columns, chunk, range, room,
                      results);
}

inline unsigned ranges(Index columns) {
  return grid_for(columns, most_columns);
}

}  // namespace spsolve::cuda::vectors::reductions
