#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline sparse {

/// Lanes that share a row, by the non-zeros of rows in the mean.
constexpr int lanes_of_row(Index mean) {
  return mean < 8 ? 4 : mean < 24 ? 8 : 32;
}

/// Non-zeros of a row beyond which many warps take it, so many each, where so many lanes would
/// share it: hubs of circuits have tens of thousands of them.
constexpr Index long_row(int lanes) {
  return 16 * lanes;
}

struct ScaledRowPiece {
  Index row;
  Index begin, end;  ///< entries
};

/// The rows of A, and the pieces of the long ones.
struct RowsInPieces {
  CsrView<double> csr;
  const ScaledRowPiece* pieces;
  Index count;
};

// Passes over R A C for the rows of a square A and factors r and c, all in GPU memory. Maxima don't
// hang on the order in which threads come to them: the same bits always.

/// *unmatched <- 1 where some a_ij is not a_ji, or a diagonal entry is nan; of a symmetric pattern.
/// With the largest magnitude of each row rounding_of_mirrors is allowed for.
void find_unmatched(const RowsInPieces& a, const double* largest, double* unmatched,
                    cudaStream_t stream);

/// of_rows_i <- max over j of |a_ij| r_i c_j, or of |a_ij| where r is null, and of_columns_j <-
/// max(of_columns_j, the same over i) unless that is null.
void find_scaled_maxima(const RowsInPieces& a, const double* r, const double* c, double* of_rows,
                        double* of_columns, cudaStream_t stream);

/// spread[0] <- max(spread[0], maxima_i), spread[1] <- min(spread[1], maxima_i) over those that are
/// not zero.
void find_spread(const double* maxima, Index count, double* spread, cudaStream_t stream);

/// factors_i <- factors_i times inverse_power() of maxima_i.
void multiply_by_inverse_powers(const double* maxima, Index count, bool root, double* factors,
                                cudaStream_t stream);

/// factors_i <- inverse_power() of the root of a_ii, or 1 where that is not stored.
void inverse_powers_of_diagonal(const CsrView<double>& a, double* factors, cudaStream_t stream);

/// values_k <- (R A C)_k, for each entry k of A.
void scale_entries(const RowsInPieces& a, const double* r, const double* c, double* values,
                   cudaStream_t stream);

/// to_k <- values_entries(k) for k < count.
void take_entries(const double* values, const Index* entries, Index count, double* to,
                  cudaStream_t stream);

/// *largest <- max(*largest, |value_k|), infinite where a value is not a finite number.
void find_largest(const double* values, Index count, double* largest, cudaStream_t stream);

}  // namespace spsolve::cuda::sparse
