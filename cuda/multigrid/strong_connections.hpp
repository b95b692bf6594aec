#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multigrid {

// Strong connections of the nodes of a matrix A, of `size` rows each; `blocks` is its matrix of
// nodes, see node_rows().

/// The findings of find_strong_connections() about an entry of it: bits of its flag.
inline constexpr unsigned char depends_on = 1, may_join = 2;

/// A flag for each entry, and the strong connections' columns row after row, which begin at
/// `offsets`, rows + 1. Waits for `stream`.
struct StrongConnections {
  DeviceArray<unsigned char> flags;
  DeviceArray<Index> offsets;
  DeviceArray<LocalIndex> neighbours;
};
/// `norms`: those of own rows and then of the halo's.
StrongConnections find_strong_connections(const CsrView<double>& blocks, Index size,
                                          const double* norms, double theta, cudaStream_t stream);

/// ||A_ii||_F and max over j != i of ||A_ij||_F, one after the other, for each row of each node.
DeviceArray<double> row_norms(const CsrView<double>& blocks, Index size, cudaStream_t stream);

}  // namespace spsolve::cuda::multigrid
