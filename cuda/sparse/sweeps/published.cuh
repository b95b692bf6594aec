#pragma once

// Values that one thread of a launch publishes and others wait for. A place that holds nothing yet
// has all bits set, as cudaMemset leaves it: one trip to the L2 cache brings the news and the
// value.

#include <cuda/atomic>

#include "cuda/core/launch.cuh"

namespace spsolve::cuda {

template <typename T>
using PublishedPlace = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;

__device__ inline bool is_missing(double value) {
  return __double_as_longlong(value) == -1;
}
__device__ inline bool is_missing(float value) {
  return __float_as_uint(value) == 0xffffffffu;
}

/// The value at `place` as soon as it is there.
template <typename T>
__device__ T published(T* place) {
  T value = PublishedPlace<T>(*place).load(::cuda::memory_order_relaxed);
  while (is_missing(value)) {
    __nanosleep(20);
    value = PublishedPlace<T>(*place).load(::cuda::memory_order_relaxed);
  }
  return value;
}

template <typename T>
__device__ void publish(T* place, T value) {
  if (value != value) value = T(0) / T(0);  // never the one that means: nothing yet
  PublishedPlace<T>(*place).store(value, ::cuda::memory_order_relaxed);
}

}  // namespace spsolve::cuda
