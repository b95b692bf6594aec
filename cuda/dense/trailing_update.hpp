#pragma once

#include <optional>

#include "cuda/dense/split_precision/split_product.hpp"
#include "cuda/dense/streams/dense_streams.hpp"

namespace spsolve::cuda::inline dense {

/// Sizes of a product: rows x inner times inner x columns.
struct Shape {
  Index rows = 0, columns = 0, inner = 0;
};

/// The product that a blocked elimination spends its flops on, C <- C - L U, by cuBLAS; row-major
/// with one leading dimension for all.
template <typename T>
class TrailingUpdate {
 public:
  /// With a `largest` shape, and T = float, it is a SplitProduct of no more than that.
  TrailingUpdate(DenseStreams& streams, Index stride, Shape largest);

  /// Bytes of GPU memory that the splitting takes.
  static std::int64_t bytes(Shape largest);

  /// Whether it is a SplitProduct, which is to be told max |a_ij| of each new matrix.
  bool splits() const { return split_.has_value(); }
  void restart(double largest_entry);

  /// C <- C - L U in order with the stream of updates. `panel` tells one L from another. `narrow`:
  /// on the processors that are not left to a concurrent panel, where streams have such.
  void subtract(Shape shape, const T* l, const T* u, T* c, Index panel, bool narrow);

 private:
  void subtract_on(const Stream& stream, const CublasHandle& blas, Shape shape, const T* l,
                   const T* u, T* c, Index panel);

  DenseStreams& streams_;
  Index stride_;
  std::optional<SplitProduct> split_;
  Index split_panel_ = -1;  // whose L is split
  Event before_, behind_;   // of work that is concurrent with a panel
};

}  // namespace spsolve::cuda::dense
