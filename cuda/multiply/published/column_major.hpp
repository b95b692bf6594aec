#pragma once

#include <memory>
#include <utility>

#include "cuda/core/device_array.hpp"
#include "cuda/multiply/published/transpose.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// Y = A X for X and Y that are column-major (column c begins at c times the rows), by a product of
/// row-major ones: X goes through a row-major copy, Y comes through another, both kept for the next
/// call. With one column the orders are the same, and nothing is copied. Moves 2 (m + n) K values
/// in addition to the product's.
template <typename T>
class ColumnMajorProduct final : public KernelProduct<T> {
 public:
  /// `product` is that of a `rows` x `columns` matrix on the GPU.
  ColumnMajorProduct(std::unique_ptr<KernelProduct<T>> product, Index rows, Index columns)
      : product_(std::move(product)), rows_(rows), columns_(columns) {}

  void multiply(const T* x, T* y, Index k) override {
    if (k == 1) return product_->multiply(x, y, 1);
    if (rows_ == 0 || k == 0) return;
    // Column-major n x K is row-major K x n.
    x_.grow(columns_ * k);
    y_.grow(rows_ * k);
    if (columns_ > 0) transpose(x, x_.data(), k, columns_);
    product_->multiply(x_.data(), y_.data(), k);
    transpose(y_.data(), y, rows_, k);
  }

  std::int64_t bytes() const override {
    return product_->bytes() + (x_.size() + y_.size()) * static_cast<Index>(sizeof(T));
  }
  std::string detail() const override { return product_->detail(); }

 private:
  std::unique_ptr<KernelProduct<T>> product_;
  Index rows_, columns_;
  DeviceArray<T> x_, y_;  ///< row-major
};

}  // namespace spsolve::cuda::multiply
