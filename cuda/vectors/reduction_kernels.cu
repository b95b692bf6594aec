#include "core/extremes.hpp"
#include "cuda/core/turns.cuh"
#include "cuda/vectors/columns.cuh"
#include "cuda/vectors/reduction_kernels.hpp"

namespace spsolve::cuda {

namespace {

/// Thread blocks of a reduction that are at work at once: 4 on each multiprocessor of a large GPU.
constexpr int blocks_at_once = 4, multiprocessors = 132;

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

/// What reductions combine: result <- result and the term of place `at`, `kinds` results for each
/// column, those of the first kind first. begin() is called once by every thread, with its first
/// column; several terms are loaded before the first of them is included.
struct Products : Sums {
  const double* x;
  const double* y;

  Products(const double* a, const double* b) : x(a), y(b) {}
  template <int pack>
  struct Of {
    struct Term {
      double a[pack], b[pack];
    };
    const double* x;
    const double* y;

    __device__ void load(Index at, Term& term) const {
      load_columns<pack, true>(x + at, term.a);
      load_columns<pack, true>(y + at, term.b);
    }
    __device__ void include(Index, Term& term, double (&result)[pack]) const {
#pragma unroll
      for (int c = 0; c < pack; ++c) result[c] = fma(term.a[c], term.b[c], result[c]);
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index) const {
    return {x, y};
  }
};

/// Of the elements of one array, their sums or largest magnitudes.
template <typename Kind>
struct Elements : Kind {
  const double* x;

  explicit Elements(const double* a) : x(a) {}
  template <int pack>
  struct Of {
    struct Term {
      double a[pack];
    };
    const double* x;

    __device__ void load(Index at, Term& term) const { load_columns<pack, true>(x + at, term.a); }
    __device__ void include(Index, Term& term, double (&result)[pack]) const {
#pragma unroll
      for (int c = 0; c < pack; ++c) result[c] = Kind::with_element(result[c], term.a[c]);
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index) const {
    return {x};
  }
};

/// Of x - t y, which x becomes: the largest magnitude, or it and the sum of squares.
template <typename Kinds>
struct Difference : Kinds {
  Factors wanted;  ///< of the columns of one range
  QuotientView t;
  const double* y;
  double* x;

  Difference(const Factors& factors, const QuotientView& quotient, const double* from, double* to)
      : wanted(factors), t(quotient), y(from), x(to) {}
  template <int pack>
  struct Of {
    struct Term {
      double y[pack];
      Packed<double, pack> x;
    };
    const double* y;
    double* x;
    double factor[pack];

    __device__ void load(Index at, Term& term) const {
      load_columns<pack, true>(y + at, term.y);
      term.x = pack_at<pack>(x + at, 0);
    }
    __device__ void include(Index at, Term& term, double (&result)[Kinds::kinds * pack]) const {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        term.x.elements[c] = fma(-factor[c], term.y[c], term.x.elements[c]);
        const double left = term.x.elements[c];
        result[c] = larger(result[c], fabs(left));
        if constexpr (Kinds::kinds > 1) result[pack + c] = fma(left, left, result[pack + c]);
      }
      pack_at<pack>(x + at, 0) = term.x;
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index column) const {
    Of<pack> of{y, x, {}};
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

/// Where the results of each kind go.
struct Results {
  double* of_kind[2];
};

/// The results of all rows of the thread block, for its first row of threads.
template <int pack, typename Terms>
__device__ void combine_rows(const Place& at, int packs, double (&result)[Terms::kinds * pack]) {
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
  wait_for_turn();
  const Index first_column = static_cast<Index>(range + blockIdx.y) * most_columns;
  const Index rest = columns - first_column;
  const int packs = static_cast<int>(rest < most_columns ? rest : most_columns) / pack;
  const Place at(packs);
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

Index rows_of_chunk(Index height, Index columns) {
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
  launch_in_turn(aligned ? reduce_kernel<widest_pack, Terms> : reduce_kernel<1, Terms>, grid,
                 threads, 0, true, stream, terms, height, columns, chunk, range, room, results);
}

unsigned ranges(Index columns) {
  return grid_for(columns, most_columns);
}

__global__ void reduce_ranks_kernel(const double* numbers, int ranks, Index stride, Index columns,
                                    bool largest, double* to) {
  const Index c = thread_index();
  if (c >= columns) return;
  double number = numbers[c];
  for (int rank = 1; rank < ranks; ++rank) {
    const double other = numbers[rank * stride + c];
    number = largest ? larger(number, other) : number + other;
  }
  to[c] = number;
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
         ranges(columns), room, {{sums, nullptr}}, stream);
}

void column_sums(const double* x, Index height, Index columns, const ReductionRoom& room,
                 double* sums, cudaStream_t stream) {
  reduce(in_packs(x, columns), Elements<Sums>(x), height, columns, 0, ranges(columns), room,
         {{sums, nullptr}}, stream);
}

void column_maxima(const double* x, Index height, Index columns, const ReductionRoom& room,
                   double* largest, cudaStream_t stream) {
  reduce(in_packs(x, columns), Elements<Maxima>(x), height, columns, 0, ranges(columns), room,
         {{largest, nullptr}}, stream);
}

void reduce_ranks(const double* numbers, int ranks, Index stride, Index columns, bool largest,
                  double* to, cudaStream_t stream) {
  reduce_ranks_kernel<<<grid_for(columns, threads), threads, 0, stream>>>(numbers, ranks, stride,
                                                                          columns, largest, to);
  check_launch("reduce_ranks");
}

void subtract_multiples(std::span<const double> wanted, const QuotientView& t, const double* y,
                        double* x, Index height, const ReductionRoom& room, double* largest,
                        double* squares, cudaStream_t stream) {
  const auto columns = static_cast<Index>(wanted.size());
  const bool aligned = in_packs(x, columns) && in_packs(y, columns);
  for (unsigned range = 0; range < ranges(columns); ++range) {
    const Factors factors = factors_from(wanted, static_cast<Index>(range) * most_columns);
    const Results results{{largest, squares}};
    if (squares == nullptr) {
      reduce(aligned, Difference<Maxima>(factors, t, y, x), height, columns, range, 1, room,
             results, stream);
    } else {
      reduce(aligned, Difference<MaximaAndSums>(factors, t, y, x), height, columns, range, 1, room,
             results, stream);
    }
  }
}

}  // namespace spsolve::cuda
