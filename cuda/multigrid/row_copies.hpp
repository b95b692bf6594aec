#pragma once

#include <vector>

#include <cuda_runtime_api.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multigrid {

// Matrices that are put together of rows in the memory of the current GPU, on `stream` and waited
// for. Cost: reads and writes them once.

/// Row k of the result is row list[k].
DeviceCsr<double> listed_rows(const CsrView<double>& rows, const DeviceArray<LocalIndex>& list,
                              cudaStream_t stream);

/// Row i of the result has the entries of row i of one and then of the other, which has as many
/// rows.
DeviceCsr<double> joined_rows(const CsrView<double>& left, const CsrView<double>& right,
                              Index columns, cudaStream_t stream);

/// The rows of one and then of the other; column own + k of the upper one becomes numbers[k].
DeviceCsr<double> stacked_rows(const CsrView<double>& above, Index own,
                               const DeviceArray<LocalIndex>& numbers, const CsrView<double>& below,
                               Index columns, cudaStream_t stream);

/// Which columns own + k, k < count, rows name: 1, else 0.
std::vector<unsigned char> named_columns(const CsrView<double>& rows, Index own, Index count,
                                         cudaStream_t stream);

/// Column own + k becomes numbers[k] in place.
void renumber_columns(DeviceCsr<double>& rows, Index own, const DeviceArray<LocalIndex>& numbers,
                      Index columns, cudaStream_t stream);

}  // namespace spsolve::cuda::multigrid
