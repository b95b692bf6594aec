#pragma once

#include <cuda_runtime.h>

namespace spsolve::cuda::inline core {

// Absolute values as keys: their order is that of the magnitudes, a nan is above infinity, and
// every key is above 0, which stands for nothing at all.

__device__ inline unsigned long long magnitude_key(double value) {
  return (static_cast<unsigned long long>(__double_as_longlong(value)) & 0x7fffffffffffffffull) + 1;
}

/// The keys of floats lie in the upper half of the word, so that one order serves both.
__device__ inline unsigned long long magnitude_key(float value) {
  return (static_cast<unsigned long long>(__float_as_uint(value) & 0x7fffffffu) << 32) + 1;
}

/// Whether a key of a T is that of a magnitude that is neither zero nor infinite nor a nan: of a
/// pivot that one can divide by.
template <typename T>
__device__ bool is_key_of_pivot(unsigned long long key) {
  return key > magnitude_key(T{}) && key < magnitude_key(static_cast<T>(INFINITY));
}

/// The upper 32 bits of |value|, below 2^31: enough to order magnitudes that differ by more than a
/// millionth.
__device__ inline unsigned magnitude_word(double value) {
  return static_cast<unsigned>(__double2hiint(value)) & 0x7fffffffu;
}
__device__ inline unsigned magnitude_word(float value) {
  return __float_as_uint(value) & 0x7fffffffu;
}

/// The lowest lane with the largest key of the warp, and that key. All lanes must call it.
__device__ inline int lane_of_largest(unsigned long long key, unsigned long long& largest) {
  constexpr unsigned all = 0xffffffffu;
  const auto high = static_cast<unsigned>(key >> 32);
  const unsigned top = __reduce_max_sync(all, high);
  const unsigned low = high == top ? static_cast<unsigned>(key) : 0u;
  const unsigned bottom = __reduce_max_sync(all, low);
  largest = static_cast<unsigned long long>(top) << 32 | bottom;
  return __ffs(static_cast<int>(__ballot_sync(all, key == largest))) - 1;
}

}  // namespace spsolve::cuda::core
