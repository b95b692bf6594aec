#include "cuda/dense/products/load_products.hpp"

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/dense/products/device_blas.hpp"
#include "cuda/dense/products/product_tiles.hpp"
#include "cuda/dense/split_precision/split_product.hpp"

namespace spsolve::cuda::inline dense {

namespace {

/// The order of products that the library does.
constexpr Index order = 512;
static_assert(2.0 * order * order * order > most_flops_of_tiles);

/// A, B and C one after another.
template <typename T>
DeviceArray<T> three_zeros(const Stream& stream) {
  DeviceArray<T> all(3 * order * order);
  CUDA_CHECK(cudaMemsetAsync(all.data(), 0, static_cast<std::size_t>(all.bytes()), stream.get()));
  return all;
}

template <typename T>
void multiply(const CublasHandle& blas, T* a) {
  T* const b = a + order * order;
  subtract_product(blas, order, order, order, a, order, b, order, b + order * order, order);
}

}  // namespace

void load_products(Precision precision) {
  const Stream stream;
  const CublasHandle blas = make_cublas();
  CUDA_CHECK(cublasSetStream(blas.get(), stream.get()));
  if (precision == Precision::float64) {
    DeviceArray<double> all = three_zeros<double>(stream);
    multiply(blas, all.data());
    stream.wait();
    return;
  }
  DeviceArray<float> all = three_zeros<float>(stream);
  float* const a = all.data();
  multiply(blas, a);
  SplitProduct split(order, order, order);
  split.set_largest(1);
  split.take_left(a, order, order, order, stream.get());
  split.subtract(blas, a + order * order, order, order, a + 2 * order * order, order, stream.get());
  stream.wait();
}

}  // namespace spsolve::cuda::dense
