#include "core/extremes.hpp"
#include "cuda/vectors/columns.cuh"
#include "cuda/vectors/reduction_kernels.hpp"

namespace spsolve::cuda {

namespace {

struct Sums {
  __device__ static double both(double a, double b) { return a + b; }
};

struct Maxima {
  __device__ static double both(double a, double b) { return larger(a, b); }
};

/// What reductions combine: result <- result and the term of place `at`. begin() is called once by
/// every thread, with its first column.
struct Products : Sums {
  const double* x;
  const double* y;

  Products(const double* a, const double* b) : x(a), y(b) {}
  template <int pack>
  struct Of {
    const double* x;
    const double* y;

    __device__ void include(Index at, double (&result)[pack]) const {
      double a[pack], b[pack];
      load_columns<pack, true>(x + at, a);
      load_columns<pack, true>(y + at, b);
#pragma unroll
      for (int c = 0; c < pack; ++c) result[c] = fma(a[c], b[c], result[c]);
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index) const {
    return {x, y};
  }
};

struct Magnitudes : Maxima {
  const double* x;

  explicit Magnitudes(const double* a) : x(a) {}
  template <int pack>
  struct Of {
    const double* x;

    __device__ void include(Index at, double (&result)[pack]) const {
      double a[pack];
      load_columns<pack, true>(x + at, a);
#pragma unroll
      for (int c = 0; c < pack; ++c) result[c] = larger(result[c], fabs(a[c]));
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index) const {
    return {x};
  }
};

struct Advance : Maxima {
  Factors wanted;  ///< of the columns of one range
  QuotientView t;
  AdvanceArrays arrays;

  Advance(const Factors& factors, const QuotientView& quotient, const AdvanceArrays& all)
      : wanted(factors), t(quotient), arrays(all) {}
  template <int pack>
  struct Of {
    AdvanceArrays arrays;
    double factor[pack];

    __device__ void include(Index at, double (&result)[pack]) const {
      double p[pack], q[pack];
      load_columns<pack, true>(arrays.p + at, p);
      load_columns<pack, true>(arrays.q + at, q);
      Packed<double, pack> x = pack_at<pack>(arrays.x + at, 0), r = pack_at<pack>(arrays.r + at, 0);
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        x.elements[c] = fma(factor[c], p[c], x.elements[c]);
        r.elements[c] = fma(-factor[c], q[c], r.elements[c]);
        result[c] = larger(result[c], fabs(r.elements[c]));
      }
      pack_at<pack>(arrays.x + at, 0) = x;
      pack_at<pack>(arrays.r + at, 0) = r;
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index column) const {
    Of<pack> of{arrays, {}};
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      of.factor[c] = quotient_of(t, column + c, wanted.values[(column + c) % most_columns]);
    }
    return of;
  }
};

/// Where a thread stands in rows of `packs` packs: it keeps to one pack.
struct Place {
  int rows, row, place;

  __device__ explicit Place(int packs)
      : rows(threads / packs),
        row(static_cast<int>(threadIdx.x) / packs),
        place(static_cast<int>(threadIdx.x) % packs) {}
};

/// The results of all rows of the thread block, for its first row of threads.
template <int pack, typename Terms>
__device__ void combine_rows(const Place& at, int packs, double (&result)[pack]) {
  __shared__ double shared[threads * pack];
  double* const mine = shared + static_cast<int>(threadIdx.x) * pack;
  __syncthreads();
#pragma unroll
  for (int c = 0; c < pack; ++c) mine[c] = result[c];
  for (int distance = threads / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (at.row < distance && at.row + distance < at.rows) {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        mine[c] = Terms::both(mine[c], mine[distance * packs * pack + c]);
      }
    }
  }
#pragma unroll
  for (int c = 0; c < pack; ++c) result[c] = mine[c];
}

/// A chunk of rows to each block of the grid's x; its y counts ranges of columns, `range` the first
/// one.
template <int pack, typename Terms>
__global__ void __launch_bounds__(threads)
    reduce_kernel(const __grid_constant__ Terms terms, Index height, Index columns, Index chunk,
                  unsigned range, ReductionRoom room, double* results) {
  const Index first_column = static_cast<Index>(range + blockIdx.y) * most_columns;
  const Index rest = columns - first_column;
  const int packs = static_cast<int>(rest < most_columns ? rest : most_columns) / pack;
  const Place at(packs);
  const Index column = first_column + at.place * pack;
  const Index first = static_cast<Index>(blockIdx.x) * chunk;
  const Index last = first + chunk < height ? first + chunk : height;
  double result[pack] = {};
  if (at.row < at.rows) {
    const auto of_columns = terms.template begin<pack>(column);
#pragma unroll 4
    for (Index i = first + at.row; i < last; i += at.rows) {
      of_columns.include(i * columns + column, result);
    }
  }
  combine_rows<pack, Terms>(at, packs, result);
  const bool one_block = gridDim.x == 1;
  if (at.row == 0) {
    double* const to =
        (one_block ? results : room.partials + static_cast<Index>(blockIdx.x) * columns) + column;
#pragma unroll
    for (int c = 0; c < pack; ++c) to[c] = result[c];
  }
  if (one_block || !is_last_block(room.tickets + range + blockIdx.y, gridDim.x)) return;
#pragma unroll
  for (int c = 0; c < pack; ++c) result[c] = 0;
  if (at.row < at.rows) {
    for (unsigned b = static_cast<unsigned>(at.row); b < gridDim.x;
         b += static_cast<unsigned>(at.rows)) {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        const double* const partial = room.partials + static_cast<Index>(b) * columns + column + c;
        result[c] = Terms::both(result[c], __ldcg(partial));
      }
    }
  }
  combine_rows<pack, Terms>(at, packs, result);
  if (at.row > 0) return;
#pragma unroll
  for (int c = 0; c < pack; ++c) results[column + c] = result[c];
}

Index rows_of_chunk(Index height, Index columns) {
  constexpr Index least_elements = 1024, most_chunks = 1056;
  return std::max((least_elements + columns - 1) / columns,
                  (height + most_chunks - 1) / most_chunks);
}

/// Ranges `range` to range + count - 1 of columns.
template <typename Terms>
void reduce(bool aligned, const Terms& terms, Index height, Index columns, unsigned range,
            unsigned count, const ReductionRoom& room, double* results, cudaStream_t stream) {
  if (columns == 0) return;
  const Index chunk = rows_of_chunk(height, columns);
  const dim3 grid(static_cast<unsigned>(reduction_chunks(height, columns)), count);
  if (aligned) {
    reduce_kernel<widest_pack>
        <<<grid, threads, 0, stream>>>(terms, height, columns, chunk, range, room, results);
  } else {
    reduce_kernel<1>
        <<<grid, threads, 0, stream>>>(terms, height, columns, chunk, range, room, results);
  }
}

unsigned ranges(Index columns) {
  return grid_for(columns, most_columns);
}

}  // namespace

Index reduction_chunks(Index height, Index columns) {
  if (height == 0 || columns == 0) return 1;
  const Index chunk = rows_of_chunk(height, columns);
  return (height + chunk - 1) / chunk;
}

Index reduction_tickets(Index columns) {
  return ranges(columns);
}

void column_dots(const double* x, const double* y, Index height, Index columns,
                 const ReductionRoom& room, double* sums, cudaStream_t stream) {
  reduce(in_packs(x, columns) && in_packs(y, columns), Products(x, y), height, columns, 0,
         ranges(columns), room, sums, stream);
  check_launch("column_dots");
}

void column_maxima(const double* x, Index height, Index columns, const ReductionRoom& room,
                   double* largest, cudaStream_t stream) {
  reduce(in_packs(x, columns), Magnitudes(x), height, columns, 0, ranges(columns), room, largest,
         stream);
  check_launch("column_maxima");
}

void advance(std::span<const double> wanted, const QuotientView& t, const AdvanceArrays& arrays,
             Index height, const ReductionRoom& room, double* largest, cudaStream_t stream) {
  const auto columns = static_cast<Index>(wanted.size());
  bool aligned = true;
  for (const double* array : {static_cast<const double*>(arrays.x), arrays.p,
                              static_cast<const double*>(arrays.r), arrays.q}) {
    aligned = aligned && in_packs(array, columns);
  }
  for (unsigned range = 0; range < ranges(columns); ++range) {
    const Index first = static_cast<Index>(range) * most_columns;
    reduce(aligned, Advance(factors_from(wanted, first), t, arrays), height, columns, range, 1,
           room, largest, stream);
  }
  check_launch("advance");
}

}  // namespace spsolve::cuda
