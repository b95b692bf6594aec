#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multigrid {

// The inputs that an interpolation P of a matrix A is made of: A is of nodes, `size` rows that
// follow each other with the same columns, which are whole nodes; `flags` are those of
// find_strong_connections().

/// Nodes of no aggregate that must be interpolated all the same, as led_nodes() of
/// krylov/multigrid says.
struct LedNodes {
  DeviceArray<unsigned char> flags;  ///< 1 for each of them among own nodes, else 0
  bool any = false;
};
/// Waits for `stream`.
LedNodes led_nodes(const CsrView<double>& a, Index size, const unsigned char* flags,
                   const LocalIndex* aggregates, cudaStream_t stream);

/// P_0, and the near null space of the coarse unknowns, `kinds` numbers for each of them.
struct TentativeRows {
  DeviceCsr<double> rows;
  DeviceArray<double> near;
};
/// For the nodes' aggregates, `count` of them, and the near null space of their rows: 1 to 6
/// `kinds` of numbers for each, see tentative_prolongation(). Waits for `stream`.
TentativeRows tentative_rows(const LocalIndex* aggregates, Index nodes, Index size, Index count,
                             const double* near, Index kinds, cudaStream_t stream);

/// lone_entries() of own rows.
DeviceArray<double> lone_entries(const double* near, Index rows, Index size, Index kinds,
                                 cudaStream_t stream);

/// A matrix in the places of A's entries: columns of what does not stand there are -1.
struct RowsInPlace {
  Index rows, columns, nonzeros;
  const Index* row_offsets;  ///< A's
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<double> values;

  CsrView<double> view() const {
    return {rows, columns, nonzeros, row_offsets, column_indices.data(), values.data()};
  }
};
/// I - omega D_F^-1 A_F, see FilteredRows. `lone`: of own rows and then of the halo's.
RowsInPlace smoothing_rows(const CsrView<double>& a, Index size, const unsigned char* flags,
                           const double* lone, double omega, cudaStream_t stream);

/// The weights that interpolate_led_nodes() multiplies P_0 with: rows of the identity for nodes
/// that are not led. `offsets`: where rows of P_0 begin, of own ones and then of the halo's.
RowsInPlace leading_rows(const CsrView<double>& a, Index size, const unsigned char* flags,
                         const unsigned char* led, const double* lone, const Index* offsets,
                         cudaStream_t stream);

/// Gives rows of zeros a diagonal of 1, where they have one stored.
void mend_empty_rows(DeviceCsr<double>& rows, cudaStream_t stream);

}  // namespace spsolve::cuda::multigrid
