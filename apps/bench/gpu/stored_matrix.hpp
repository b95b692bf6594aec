#pragma once

#include "apps/bench/gpu/gpu_system.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/dense/streams/dense_streams.hpp"
#include "distribute/layout/row_layout.hpp"
#include "solve/operators/system_matrix.hpp"
#include "team/team.hpp"

namespace spsolve::cuda {

/// The matrix of a random system in double, row-major in GPU memory, bands of rows of a rank each:
/// a system's matrix whose rows are nowhere else. Collective.
class StoredMatrix {
 public:
  StoredMatrix(DenseStreams& streams, Team& team, const GpuSystem& system);

  /// Bytes of GPU memory that the band of `rank` takes.
  static std::int64_t bytes(Index order, int rank, int ranks);

  /// This rank's rows.
  const double* values() const { return values_.data(); }
  Index stride() const { return stride_; }

  /// ||A||, infinity norm.
  double norm() const;

  /// y <- A x and y <- A^T x, column by column.
  void multiply(const Vectors& x, Vectors& y);
  void multiply_transposed(const Vectors& x, Vectors& y);

 private:
  DenseStreams& streams_;
  Team& team_;
  Index order_;
  RowLayout bands_;
  Range mine_;
  Index stride_;
  DeviceArray<double> values_;
  DeviceArray<double> long_, short_;  // vectors of products: of all rows, of this rank's
};

/// The matrix of a random system as what an inverse is prepared from: without rows of its own; its
/// products are those of `stored`, where it is not null, and not to be asked for where it is.
class RandomMatrix final : public SystemMatrix {
 public:
  RandomMatrix(Team& team, Index order, StoredMatrix* stored);
  void apply(const Vectors& x, Vectors& y) override { stored_->multiply(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override {
    stored_->multiply_transposed(x, y);
  }

  /// The norm of A^T is of the size of A's, and decides only on when refinement ends.
  double infinity_norm(const Equilibration&) override { return stored_->norm(); }
  double one_norm(const Equilibration&) override { return stored_->norm(); }

 private:
  StoredMatrix* stored_;
};

}  // namespace spsolve::cuda
