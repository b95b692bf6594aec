#pragma once

#include <vector>

#include "dense/columnwise/dense_rows.hpp"
#include "dense/state/fill_rows.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline dense {

/// DenseRows in host memory: row-major, OpenMP over the rows, rows padded to whole cache lines.
template <typename T>
class HostDenseRows : public DenseRows<T> {
 public:
  /// The dense form of the sparse rows `sparse`, which are the global rows from `first_row` on.
  /// Throws std::bad_alloc where the memory isn't there.
  HostDenseRows(const ScaledRows& sparse, Index first_row);

  /// Bytes that `rows` rows of order `order` allocate.
  static std::int64_t bytes(Index rows, Index order);

  Range range() const override { return rows_; }
  Index order() const override { return order_; }
  void carry(std::span<const T> right_hand_sides, Index columns) override;
  Index width() const override { return order_ + carried_columns_; }
  void release_carried(std::span<T> right_hand_sides) override;
  void repeat_step(Index column) override;
  PivotCandidate find_pivot(Range rows, Range columns) const override;
  std::span<T> row_buffer(int which) override { return buffers_[which]; }
  void load_row(Index row, Range columns, int buffer) override;
  void store_row(Index row, Range columns, int buffer) override;
  void read_rows(Range rows, std::span<T> values) const override;
  void write_rows(Range rows, std::span<const T> values) override;
  void swap_rows(Index a, Index b) override;
  void swap_columns(Index a, Index b) override;
  void eliminate(Index column, Range rows) override;
  void apply_block(BlockOperation operation, std::span<T> x, Index columns) const override;
  void subtract_product(Range block, std::span<const T> x, std::span<T> y,
                        Index columns) const override;
  void subtract_transposed_product(Range block, std::span<const T> x, std::span<T> c,
                                   Index columns) const override;
  void divide_by_diagonal(std::span<T> x, Index columns) const override;

 private:
  T* row(Index global) { return values_.data() + (global - rows_.first) * stride_; }
  const T* row(Index global) const { return values_.data() + (global - rows_.first) * stride_; }
  T* carried_row(Index global) {
    return carried_.data() + (global - rows_.first) * carried_columns_;
  }

  Range rows_;
  Index order_;
  Index stride_;
  RawArray<T> values_;
  std::vector<T> buffers_[2];
  std::vector<T> carried_;  // own rows x carried_columns_
  Index carried_columns_ = 0;
};

SPSOLVE_INSTANTIATED(class HostDenseRows)

}  // namespace spsolve::dense
