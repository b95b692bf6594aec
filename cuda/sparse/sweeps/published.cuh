#pragma once

// Values that one thread of a launch publishes and others wait for. A place that holds nothing yet
// has all bits set, as cudaMemset leaves it: one trip to the L2 cache brings the news and the
// value.

#include <cuda/atomic>

#include "cuda/core/launch.cuh"

namespace spsolve::cuda::inline sparse {

template <typename T>
using PublishedPlace = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;

__device__ inline bool is_missing(double value) {
  return __double_as_longlong(value) == -1;
}
__device__ inline bool is_missing(float value) {
  return __float_as_uint(value) == 0xffffffffu;
}

/// values[i] <- what is at places[i] as soon as it is there, or 0 where that is null. All are
/// looked at before one is waited for: together they take one trip to the L2 cache.
template <int count, typename T>
__device__ void take_published(T* const (&places)[count], T (&values)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) {
    values[i] = places[i] == nullptr
                    ? T(0)
                    : PublishedPlace<T>(*places[i]).load(::cuda::memory_order_relaxed);
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    while (is_missing(values[i])) {
      __nanosleep(20);
      values[i] = PublishedPlace<T>(*places[i]).load(::cuda::memory_order_relaxed);
    }
  }
}

template <typename T>
__device__ void publish(T* place, T value) {
  if (value != value) value = T(0) / T(0);  // never the one that means: nothing yet
  PublishedPlace<T>(*place).store(value, ::cuda::memory_order_relaxed);
}

}  // namespace spsolve::cuda::sparse
