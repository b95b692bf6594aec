#include "cuda/vectors/reductions.cuh"

namespace spsolve::cuda::inline vectors {

using namespace reductions;

namespace {

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

/// Sums or largest magnitudes of the elements of one array.
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

/// x <- x - t y; finds the largest magnitude of x, or it and the sum of squares.
template <typename Kinds>
struct Difference : Kinds {
  Factors wanted;  ///< of the columns of one range
  QuotientView t;
  const double* y;
  double* x;

  Difference(const Factors& factors, const QuotientView& quotient, const double* from, double* to)
      : wanted(factors), t(quotient), y(from), x(to) {}
  template <int pack>
  struct Of : Rewriting<pack> {
    using typename Rewriting<pack>::Term;
    double factor[pack];

    __device__ void include(Index at, Term& term, double (&result)[Kinds::kinds * pack]) const {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        term.x.elements[c] = fma(-factor[c], term.y[c], term.x.elements[c]);
        const double left = term.x.elements[c];
        result[c] = larger(result[c], fabs(left));
        if constexpr (Kinds::kinds > 1) result[pack + c] = fma(left, left, result[pack + c]);
      }
      this->store(at, term);
    }
  };
  template <int pack>
  __device__ Of<pack> begin(Index column) const {
    Of<pack> of{{y, x}, {}};
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      of.factor[c] = quotient_of(t, column + c, wanted.values[(column + c) % most_columns]);
    }
    return of;
  }
};

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

}  // namespace spsolve::cuda::vectors
