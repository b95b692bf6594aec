#pragma once

#include <span>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda {

/// Y = A X for X and Y in host memory with a product prepared for the GPU: brings both there, and Y
/// back. Y goes there too, so that elements which the product leaves out stay as they were. Waits
/// until all is done.
template <typename T>
void multiply_on_device(KernelProduct<T>& product, std::span<const T> x, std::span<T> y,
                        Index columns) {
  const DeviceArray<T> x_device(x);
  DeviceArray<T> y_device{std::span<const T>(y)};
  product.multiply(x_device.data(), y_device.data(), columns);
  wait_for_device();
  y_device.download(y);
}

}  // namespace spsolve::cuda
