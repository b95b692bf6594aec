#pragma once

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/dense/columnwise/column_kernels.hpp"
#include "cuda/dense/columnwise/run_kernels.hpp"
#include "cuda/dense/streams/dense_streams.hpp"
#include "dense/columnwise/dense_rows.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda::inline dense {

/// DenseRows in the memory of this rank's GPU: row-major, all rows of a step updated at once. A
/// step moves the rows' columns after the pivot once in and once out: 2 rows (n - k) values. With
/// all rows, and where pivots are not looked for in the whole matrix, it eliminates in runs, during
/// which the host only launches.
template <typename T>
class DeviceDenseRows final : public DenseRows<T> {
 public:
  /// Room for the global rows `rows` of a matrix of order `order`.
  DeviceDenseRows(DenseStreams& streams, Range rows, Index order);

  /// The dense form of the sparse rows `sparse`.
  void fill(const Csr<double>& sparse);
  void fill(const CsrView<double>& sparse);  ///< in GPU memory

  /// Fills all of these rows as DeviceBlockedRows::fill_random() does.
  void fill_random(std::uint64_t key, double diagonal);

  /// Bytes of GPU memory that `rows` rows of order `order` allocate, and solutions of so many
  /// columns at a time or right-hand sides that go along.
  static std::int64_t bytes(Index rows, Index order, Index right_hand_sides);

  Range range() const override { return rows_; }
  Index order() const override { return order_; }
  void carry(std::span<const T> right_hand_sides, Index columns) override;
  Index width() const override { return order_ + carried_columns_; }
  void release_carried(std::span<T> right_hand_sides) override;
  void repeat_step(Index column) override;
  PivotCandidate find_pivot(Range rows, Range columns) const override;
  std::span<T> row_buffer(int which) override;
  void load_row(Index row, Range columns, int buffer) override;
  void store_row(Index row, Range columns, int buffer) override;
  void read_rows(Range rows, std::span<T> values) const override;
  void write_rows(Range rows, std::span<const T> values) override;
  void swap_rows(Index a, Index b) override;
  void swap_columns(Index a, Index b) override;
  void eliminate(Index column, Range rows) override;
  Index longest_run(Index first, Method method, Pivoting pivoting) const override;
  EliminatedRun eliminate_run(Range columns, Method method, Pivoting pivoting) override;
  void apply_block(BlockOperation operation, std::span<T> x, Index columns) const override;
  void subtract_product(Range block, std::span<const T> x, std::span<T> y,
                        Index columns) const override;
  void subtract_transposed_product(Range block, std::span<const T> x, std::span<T> c,
                                   Index columns) const override;
  void divide_by_diagonal(std::span<T> x, Index columns) const override;

 private:
  T* at(Index row, Index column) { return values_.data() + (row - rows_.first) * stride_ + column; }
  const T* at(Index row, Index column) const {
    return values_.data() + (row - rows_.first) * stride_ + column;
  }
  T* carried_at(Index row) { return carried_.data() + (row - rows_.first) * carried_stride_; }
  void copy(T* to, const T* from, Index count);
  static bool has_all(Index rows, Index order) { return rows == order && order > 0; }
  void reserve_runs();
  void reserve_stripes();
  ColumnRun<T> column_run();

  DenseStreams& streams_;
  Range rows_;
  Index order_;
  Index stride_;
  DeviceArray<T> values_;       // rows x stride
  DeviceArray<T> buffers_;      // two rows on their way
  DeviceArray<T> multipliers_;  // of one step
  mutable DeviceArray<Candidate> candidates_;
  mutable DeviceArray<unsigned> counter_;
  mutable PinnedArray<Candidate> answer_;
  mutable DeviceArray<T> x_, y_;
  DeviceArray<T> carried_;  // right-hand sides that go along: own rows x carried_stride_
  Index carried_columns_ = 0;
  Index carried_stride_ = 0;
  // Where all rows are here, for runs:
  DeviceArray<T> columns_;
  DeviceArray<Candidate> run_candidates_;
  DeviceArray<unsigned> stripes_;
  DeviceArray<RunReport> report_;
  PinnedArray<RunReport> report_here_;
};

SPSOLVE_INSTANTIATED(class DeviceDenseRows)

}  // namespace spsolve::cuda::dense
