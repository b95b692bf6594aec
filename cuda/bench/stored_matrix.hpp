#pragma once

#include "core/team.hpp"
#include "cuda/bench/gpu_system.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/eliminate/band_streams.hpp"
#include "distribute/row_bands.hpp"
#include "eliminate/mixed.hpp"

namespace spsolve::cuda {

/// The matrix of a random system in double, row-major in GPU memory: contiguous bands of rows, one
/// a rank. What it offers is collective; `streams` and `team` outlive it.
class StoredMatrix {
 public:
  StoredMatrix(BandStreams& streams, Team& team, const GpuSystem& system);

  /// Bytes of GPU memory that the band of `rank` takes.
  static std::int64_t bytes(Index order, int rank, int ranks);

  /// This rank's rows.
  const double* values() const { return values_.data(); }
  Index stride() const { return stride_; }

  /// ||A||, infinity norm.
  double norm() const;

  /// The products with A; this object outlives them.
  MatrixProducts products();

 private:
  void multiply(Dense<double>& x);
  void multiply_transposed(Dense<double>& x);

  BandStreams& streams_;
  Team& team_;
  Index order_;
  RowBands bands_;
  Range mine_;
  Index stride_;
  DeviceArray<double> values_;
  DeviceArray<double> long_, short_;  // vectors of products: of all rows, of this rank's
};

}  // namespace spsolve::cuda
