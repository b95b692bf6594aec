#pragma once

#include <optional>

#include <cuda_runtime_api.h>

#include "cuda/multiply/device_csr.hpp"

namespace spsolve::cuda {

// Steps of coarsening a matrix A of nodes: `size` rows follow each other, with the same columns,
// which are whole nodes. `blocks` is its matrix of nodes, see node_rows().

/// What find_couplings() finds of an entry of it: bits of its flag.
inline constexpr unsigned char depends_on = 1, may_join = 2;

/// A flag for each entry, and the strong couplings' columns row after row, which begin at
/// `offsets`, rows + 1. Waits for `stream`.
struct Couplings {
  DeviceArray<unsigned char> flags;
  DeviceArray<Index> offsets;
  DeviceArray<LocalIndex> neighbours;
};
/// `norms`: those of own rows and then of the halo's.
Couplings find_couplings(const CsrView<double>& blocks, Index size, const double* norms,
                         double theta, cudaStream_t stream);

/// ||A_ii||_F and max over j != i of ||A_ij||_F, one behind the other, for each row of each node.
DeviceArray<double> row_norms(const CsrView<double>& blocks, Index size, cudaStream_t stream);

/// 1 for each own node of no aggregate that must be interpolated all the same, as led_nodes() says,
/// else 0; none at all where there is none. Waits for `stream`.
std::optional<DeviceArray<unsigned char>> led_nodes(const CsrView<double>& a, Index size,
                                                    const unsigned char* flags,
                                                    const LocalIndex* aggregates,
                                                    cudaStream_t stream);

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

}  // namespace spsolve::cuda
