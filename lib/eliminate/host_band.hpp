#pragma once

#include <vector>

#include "eliminate/band.hpp"
#include "eliminate/dense_rows.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// A Band in host memory: row-major, OpenMP over its rows, rows padded to whole cache lines.
template <typename T>
class HostBand : public Band<T> {
 public:
  /// The dense form of the sparse rows `sparse`, which are the global rows from `first_row` on.
  /// Throws std::bad_alloc where the memory isn't there.
  HostBand(const Csr<double>& sparse, Index first_row);

  /// Bytes that a band of `rows` rows of order `order` allocates.
  static std::int64_t bytes(Index rows, Index order);

  Range rows() const override { return rows_; }
  Index order() const override { return order_; }
  PivotCandidate find_pivot(Range rows, Range columns) const override;
  std::span<T> row_buffer(int which) override { return buffers_[which]; }
  void load_row(Index row, Range columns, int buffer) override;
  void store_row(Index row, Range columns, int buffer) override;
  void read_rows(Range rows, std::span<T> values) const override;
  void write_rows(Range rows, std::span<const T> values) override;
  void swap_rows(Index a, Index b) override;
  void swap_columns(Index a, Index b) override;
  void eliminate(Index column, Range rows) override;
  void apply_block(BlockOperation operation, Range rows, std::span<T> x,
                   Index columns) const override;
  void subtract_product(Range rows, Range block, std::span<const T> x, std::span<T> y,
                        Index columns) const override;
  void divide_by_diagonal(std::span<T> x, Index columns) const override;

 private:
  T* row(Index global) { return values_.data() + (global - rows_.first) * stride_; }
  const T* row(Index global) const { return values_.data() + (global - rows_.first) * stride_; }

  Range rows_;
  Index order_;
  Index stride_;
  RawArray<T> values_;
  std::vector<T> buffers_[2];
};

extern template class HostBand<float>;
extern template class HostBand<double>;

}  // namespace spsolve
