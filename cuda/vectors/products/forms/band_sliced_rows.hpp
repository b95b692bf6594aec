#pragma once

#include <optional>

#include <cuda_runtime_api.h>

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline vectors {

inline constexpr Index slice_height = 32;

/// Rows in slices of 32 as kernels take them: element k of row i is at offsets[i / 32] + 32 k + i
/// mod 32. Rows i with the same i / together have the same columns, which stand once for all of
/// them in a slice: column k at offsets[i / 32] / 32 stride + stride k + i / together - (i - i mod
/// 32) / together; -1 where the row has no such element.
struct BandSlicedView {
  Index rows;
  const Index* offsets;  ///< slices + 1
  const LocalIndex* columns;
  const double* values;
  int together;
  int stride;
};

/// A Csr in slices of 32 rows in GPU memory, each padded to its longest row (SELL-32, Kreutzer and
/// others, 2014): a warp reads 32 rows side by side, a thread each, without sums over lanes. Where
/// all rows come in groups of 2 to 6 with the same columns, as unknowns of nodes do, these are kept
/// and read once for a group.
class BandSlicedRows {
 public:
  /// None where rows are too long for a thread each, or padding takes more than a fifth.
  static std::optional<BandSlicedRows> of(const CsrView<double>& rows, cudaStream_t stream);

  /// Rows of each group with the same columns; 1 where these differ.
  int together() const { return together_; }

  BandSlicedView view() const {
    return {rows_, offsets_.data(), columns_.data(), values_.data(), together_, stride_};
  }

 private:
  Index rows_ = 0;
  int together_ = 1, stride_ = static_cast<int>(slice_height);
  DeviceArray<Index> offsets_;
  DeviceArray<LocalIndex> columns_;
  DeviceArray<double> values_;
};

}  // namespace spsolve::cuda::vectors
