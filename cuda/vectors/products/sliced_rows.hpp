#pragma once

#include <optional>

#include <cuda_runtime_api.h>

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/device_csr.hpp"

namespace spsolve::cuda {

inline constexpr Index slice_height = 32;

/// Rows in slices of 32 as kernels take them: element k of row i is at offsets[i / 32] + 32 k + i
/// mod 32; its column is -1 where the row has no such element.
struct SlicedView {
  Index rows;
  const Index* offsets;  ///< slices + 1
  const LocalIndex* columns;
  const double* values;
};

/// A Csr in slices of 32 rows in GPU memory, each padded to its longest row (SELL-32, Kreutzer and
/// others, 2014): a warp reads 32 rows side by side, a thread each, without sums over lanes.
class SlicedRows {
 public:
  /// None where rows are too long for a thread each, or padding takes more than a fifth.
  static std::optional<SlicedRows> of(const Csr<double>& host, const CsrView<double>& rows,
                                      cudaStream_t stream);

  SlicedView view() const { return {rows_, offsets_.data(), columns_.data(), values_.data()}; }

 private:
  Index rows_ = 0;
  DeviceArray<Index> offsets_;
  DeviceArray<LocalIndex> columns_;
  DeviceArray<double> values_;
};

/// Fills the columns and values of slices that begin at `offsets`.
void slice_rows(const CsrView<double>& rows, const Index* offsets, LocalIndex* columns,
                double* values, cudaStream_t stream);

}  // namespace spsolve::cuda
