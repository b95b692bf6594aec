#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/sparse/fronts/front_launcher.hpp"
#include "cuda/sparse/fronts/out_of_core_factors.hpp"
#include "sparse/analysis/analysis.hpp"

namespace spsolve::cuda::inline sparse {

/// Multifrontal factors on the current GPU, by an elimination program: L L^T, L D L^T or P L U with
/// pivots from the diagonal blocks of pivot_block columns. Keeps its memory from one factorisation
/// to the next. Always the same bits.
template <typename T>
class DeviceFactors {
 public:
  /// Factors that take more than `most_bytes` of GPU memory in addition to the share of solves, or
  /// more than is free, lie in host memory, and on the GPU some levels of fronts at a time. Throws
  /// Error(resources) where memory is short.
  DeviceFactors(const SparseAnalysis& analysis, Factorization kind,
                std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max(),
                int panel_columns = widest_panel);

  /// Takes in the values of the matrix, one for each entry of A, from host or GPU memory.
  void upload(const std::vector<double>& values);
  void copy(const double* values);

  /// Factors the matrix with these values. The result names a failure by the position of the pivot;
  /// then there are no factors.
  PivotCounts factor(const PivotRule& rule);
  /// See TeamFronts::raised_pivots().
  const std::vector<RaisedPivot>& raised_pivots() const { return raised_; }

  Factorization kind() const { return kind_; }
  const DeviceLayout& layout() const { return layout_; }
  const FrontLayout* device_layouts() const { return launcher_.layouts(); }
  const double* values() const { return values_.data(); }
  const T* arena() const { return launcher_.arena(); }

  /// Bytes of factors in host memory; 0 where all of them are on the GPU.
  std::int64_t host_bytes() const { return out_of_core_ ? out_of_core_->host_bytes() : 0; }

  const KernelStatistics& kernel_statistics() const { return kernel_statistics_; }

  /// From here on, what is on `stream` finds the factors of a part of the places; the part `next`
  /// is wanted after it (none if that is the number of parts).
  void acquire(std::size_t part, std::size_t next, cudaStream_t stream);
  /// And here it has done with them.
  void release(std::size_t part, cudaStream_t stream);

 private:
  void begin_part(const FrontPart& part, cudaStream_t stream);

  Factorization kind_;
  DeviceLayout layout_;
  FrontLauncher<T> launcher_;
  KernelStatistics kernel_statistics_;
  std::vector<RaisedPivot> raised_;
  DeviceArray<int> by_level_;  // where factors stream
  DeviceArray<Index> entry_starts_;
  DeviceArray<FrontEntry> entries_;
  DeviceArray<double> values_;
  std::optional<OutOfCoreFactors<T>> out_of_core_;  // where factors stream
};

}  // namespace spsolve::cuda::sparse
