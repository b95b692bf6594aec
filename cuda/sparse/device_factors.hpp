#pragma once

#include <memory>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/staged_upload.hpp"
#include "cuda/core/vendor.hpp"
#include "cuda/sparse/elimination_program.hpp"
#include "sparse/analysis/analysis.hpp"

namespace spsolve::cuda {

/// Multifrontal factors on the current GPU, by an elimination program: L L^T, L D L^T or P L U with
/// pivots from the diagonal blocks of pivot_block columns. Keeps its memory from one factorisation
/// to the next. Always the same bits.
template <typename T>
class DeviceFactors {
 public:
  /// `analysis` must outlive the object. Throws Error(resources) where GPU memory is short.
  DeviceFactors(const SparseAnalysis& analysis, Factorization kind);

  /// Factors the matrix with these values, one for each entry of A, smaller pivots than `least`
  /// made as large and counted. What it hands back names a failure by the position of the pivot;
  /// then there are no factors.
  PivotCounts factor(const std::vector<double>& values, double least);

  Factorization kind() const { return kind_; }
  const FrontPlaces& places() const { return places_; }
  const FrontPlace* device_places() const { return device_places_.data(); }
  const double* values() const { return values_.data(); }
  const T* arena() const { return arena_.data(); }

 private:
  template <typename U>
  DeviceArray<U> staged(const std::vector<U>& list);
  void run(const EliminationStep& step, cudaStream_t stream);
  void multiply_by_library(const FrontProduct& product, cudaStream_t stream);

  Factorization kind_;
  StagedUpload upload_;
  FrontPlaces places_;
  EliminationProgram program_;  // its lists are on the GPU alone, but for products
  DeviceArray<FrontPlace> device_places_;
  DeviceArray<int> children_, in_parent_, fronts_;
  DeviceArray<AssemblyPiece> pieces_;
  DeviceArray<FrontProduct> products_;
  DeviceArray<ProductTile> tiles_;
  DeviceArray<Index> entry_starts_;
  DeviceArray<FrontEntry> entries_;
  DeviceArray<double> values_;
  DeviceArray<PivotTally> tally_;
  DeviceArray<T> arena_;
  CublasHandle cublas_;
  DeviceFronts<T> fronts_on_gpu_;
};

}  // namespace spsolve::cuda
