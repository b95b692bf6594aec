#pragma once

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/eliminate/band_streams.hpp"
#include "cuda/eliminate/column_kernels.hpp"
#include "cuda/eliminate/run_kernels.hpp"
#include "eliminate/band.hpp"
#include "matrix/csr.hpp"

namespace spsolve::cuda {

/// A Band in the memory of this rank's GPU: row-major, all rows of a step updated at once. A step
/// moves the rows' columns behind the pivot once in and once out: 2 rows (n - k) values. With all
/// rows, and where pivots are not looked for in the whole matrix, it eliminates in runs, during
/// which the host only launches.
template <typename T>
class DeviceBand final : public Band<T> {
 public:
  /// Room for the global rows `rows` of a matrix of order `order`.
  DeviceBand(BandStreams& streams, Range rows, Index order);

  /// The dense form of the sparse rows `sparse`.
  void fill(const Csr<double>& sparse);

  /// As DeviceBlockedBand::fill_random(), with all rows of this band.
  void fill_random(std::uint64_t key, double diagonal);

  /// Bytes of GPU memory that a band of `rows` rows of order `order` allocates, and its solutions
  /// of so many columns at a time.
  static std::int64_t bytes(Index rows, Index order, Index right_hand_sides);

  Range rows() const override { return rows_; }
  Index order() const override { return order_; }
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
  void apply_block(BlockOperation operation, Range rows, std::span<T> x,
                   Index columns) const override;
  void subtract_product(Range rows, Range block, std::span<const T> x, std::span<T> y,
                        Index columns) const override;
  void divide_by_diagonal(std::span<T> x, Index columns) const override;

 private:
  T* at(Index row, Index column) { return values_.data() + (row - rows_.first) * stride_ + column; }
  const T* at(Index row, Index column) const {
    return values_.data() + (row - rows_.first) * stride_ + column;
  }
  void copy(T* to, const T* from, Index count);
  static bool has_all(Index rows, Index order) { return rows == order && order > 0; }
  void reserve_runs();
  ColumnRun<T> column_run();

  BandStreams& streams_;
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
  // Of a band with all rows, for its runs:
  DeviceArray<T> columns_;
  DeviceArray<Candidate> offers_;
  DeviceArray<unsigned> stripes_;
  DeviceArray<RunReport> report_;
  PinnedArray<RunReport> report_here_;
};

extern template class DeviceBand<float>;
extern template class DeviceBand<double>;

}  // namespace spsolve::cuda
