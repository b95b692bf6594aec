#include "cuda/dense/trailing_update.hpp"

#include "cuda/dense/products/device_blas.hpp"

namespace spsolve::cuda::inline dense {

template <typename T>
TrailingUpdate<T>::TrailingUpdate(DenseStreams& streams, Index stride, Shape largest)
    : streams_(streams), stride_(stride) {
  if constexpr (std::is_same_v<T, float>) {
    if (largest.inner > 0) split_.emplace(largest.rows, largest.inner, largest.columns);
  }
}

template <typename T>
std::int64_t TrailingUpdate<T>::bytes(Shape largest) {
  return std::is_same_v<T, float>
             ? SplitProduct::bytes(largest.rows, largest.inner, largest.columns)
             : 0;
}

template <typename T>
void TrailingUpdate<T>::restart(double largest_entry) {
  split_panel_ = -1;
  split_->set_largest(largest_entry);
}

template <typename T>
void TrailingUpdate<T>::subtract(Shape shape, const T* l, const T* u, T* c, Index panel,
                                 bool narrow) {
  if (!narrow || streams_.beside == nullptr) {
    return subtract_on(streams_.updates, streams_.update_blas, shape, l, u, c, panel);
  }
  before_.record(streams_.updates);
  before_.hold(*streams_.beside);
  subtract_on(*streams_.beside, streams_.beside_blas, shape, l, u, c, panel);
  behind_.record(*streams_.beside);
  behind_.hold(streams_.updates);
}

template <typename T>
void TrailingUpdate<T>::subtract_on(const Stream& stream, const CublasHandle& blas, Shape shape,
                                    const T* l, const T* u, T* c, Index panel) {
  if constexpr (std::is_same_v<T, float>) {
    if (split_) {
      if (split_panel_ != panel) {
        split_->take_left(l, stride_, shape.rows, shape.inner, stream.get());
      }
      split_panel_ = panel;
      return split_->subtract(blas, u, stride_, shape.columns, c, stride_, stream.get());
    }
  }
  subtract_product(blas, shape.rows, shape.columns, shape.inner, l, stride_, u, stride_, c,
                   stride_);
}

SPSOLVE_INSTANTIATE(class TrailingUpdate)

}  // namespace spsolve::cuda::dense
