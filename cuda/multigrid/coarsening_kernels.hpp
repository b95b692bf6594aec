#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/device_csr.hpp"

namespace spsolve::cuda {

/// What couplings() finds of an entry of A: bits of its flag.
inline constexpr unsigned char depends_on = 1, may_join = 2;

/// A flag for each entry of A, and the strong couplings' columns row after row, which begin at
/// `offsets`, rows + 1. Waits for `stream`.
struct Couplings {
  DeviceArray<unsigned char> flags;
  DeviceArray<Index> offsets;
  DeviceArray<LocalIndex> neighbours;
};
/// `norms`: row_norms() of own rows and then of the halo's.
Couplings find_couplings(const CsrView<double>& a, const double* norms, double theta,
                         cudaStream_t stream);

/// |a_ii| and max over j != i of |a_ij| of each row, one behind the other.
DeviceArray<double> row_norms(const CsrView<double>& a, cudaStream_t stream);

/// Whether a row of no aggregate must be interpolated all the same, as led_nodes() says. Waits for
/// `stream`.
bool has_led_rows(const CsrView<double>& a, const unsigned char* flags,
                  const LocalIndex* aggregates, cudaStream_t stream);

/// P_0, and the near null space of the coarse unknowns.
struct TentativeRows {
  DeviceCsr<double> rows;
  DeviceArray<double> near;
};
/// For the rows' aggregates, `count` of them, and their near null space. Waits for `stream`.
TentativeRows tentative_rows(const LocalIndex* aggregates, Index rows, Index count,
                             const double* near, cudaStream_t stream);

/// I - omega D_F^-1 A_F in the places of A's entries, see FilteredRows: columns of what does not
/// stand there are -1.
struct SmoothingRows {
  Index rows, columns, nonzeros;
  const Index* row_offsets;  ///< A's
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<double> values;

  CsrView<double> view() const {
    return {rows, columns, nonzeros, row_offsets, column_indices.data(), values.data()};
  }
};
/// `near`: of own rows and then of the halo's.
SmoothingRows smoothing_rows(const CsrView<double>& a, const unsigned char* flags,
                             const double* near, double omega, cudaStream_t stream);

/// Gives rows of zeros a diagonal of 1, where they have one stored.
void mend_empty_rows(DeviceCsr<double>& rows, cudaStream_t stream);

}  // namespace spsolve::cuda
