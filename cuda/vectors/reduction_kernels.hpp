#pragma once

#include <span>

#include <cuda_runtime_api.h>

#include "core/types.hpp"
#include "cuda/vectors/quotient_view.hpp"

namespace spsolve::cuda::inline vectors {

// Sums and maxima over the rows of height x K arrays of double in GPU memory, row-major, a number
// for each column; each in one launch. The order of the terms depends on height and K only: chunks
// of rows, within a chunk a thread for every so many rows, and trees over both; the thread block
// that is last done combines the chunks, in their order.

/// Room that a reduction needs in addition: `partials` has room for reduction_chunks() rows of K
/// for each number of a column that it finds, and `tickets`, all 0 before and after, for
/// reduction_tickets().
struct ReductionRoom {
  double* partials;
  unsigned* tickets;
};

/// Chunks of rows: at most 528, 4 for each multiprocessor of a large GPU, and 1 for few rows.
/// Depends on height and K only.
Index reduction_chunks(Index height, Index columns);
Index reduction_tickets(Index columns);

/// sums_c <- sum over i of x_ic y_ic
void column_dots(const double* x, const double* y, Index height, Index columns,
                 const ReductionRoom& room, double* sums, cudaStream_t stream);

/// sums_c <- sum over i of x_ic
void column_sums(const double* x, Index height, Index columns, const ReductionRoom& room,
                 double* sums, cudaStream_t stream);

/// largest_c <- max over i of |x_ic|, a nan where there is one.
void column_maxima(const double* x, Index height, Index columns, const ReductionRoom& room,
                   double* largest, cudaStream_t stream);

/// to_c <- numbers_c of all ranks together, their sum or their largest, a nan where there is one:
/// in the order of the ranks, whose numbers are `stride` apart.
void reduce_ranks(const double* numbers, int ranks, Index stride, Index columns, bool largest,
                  double* to, cudaStream_t stream);

/// x <- x - t y for t_c = wanted_c times a quotient, 0 where its divisor is, and largest_c <- max
/// over i of |x_ic|; where `squares` is not null, squares_c <- sum over i of x_ic^2, with the bits
/// of column_dots() of x with itself.
void subtract_multiples(std::span<const double> wanted, const QuotientView& t, const double* y,
                        double* x, Index height, const ReductionRoom& room, double* largest,
                        double* squares, cudaStream_t stream);

}  // namespace spsolve::cuda::vectors
