#pragma once

// Neighbouring columns of X and Y that a thread loads and stores 16 bytes at a time.

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace spsolve::cuda::inline core {

/// `count` neighbouring elements that are loaded at once.
template <typename T, int count>
struct alignas(sizeof(T) * count) Packed {
  T elements[count];
};

/// Loads of X: 16, 8 or single elements' bytes, through the read-only cache.
__device__ inline void load_packed(const double* p, Packed<double, 2>& to) {
  const double2 v = __ldg(reinterpret_cast<const double2*>(p));
  to.elements[0] = v.x;
  to.elements[1] = v.y;
}
__device__ inline void load_packed(const float* p, Packed<float, 2>& to) {
  const float2 v = __ldg(reinterpret_cast<const float2*>(p));
  to.elements[0] = v.x;
  to.elements[1] = v.y;
}
__device__ inline void load_packed(const float* p, Packed<float, 4>& to) {
  const float4 v = __ldg(reinterpret_cast<const float4*>(p));
  to.elements[0] = v.x;
  to.elements[1] = v.y;
  to.elements[2] = v.z;
  to.elements[3] = v.w;
}

template <typename T>
constexpr int full_pack = 16 / static_cast<int>(sizeof(T));

/// Elements loaded at once where a thread has `count` neighbouring columns; 1: no packing.
template <typename T, int count>
constexpr int pack_of = count % full_pack<T> == 0 ? full_pack<T>
                        : count % 2 == 0          ? 2
                                                  : 1;

/// p[0], ..., p[count - 1]; where `packed`, p is aligned to pack_of<T, count> elements.
template <int count, bool packed, typename T>
__device__ void load_columns(const T* p, T (&to)[count]) {
  constexpr int pack = pack_of<T, count>;
  if constexpr (packed && pack > 1) {
#pragma unroll
    for (int first = 0; first < count; first += pack) {
      Packed<T, pack> loaded;
      load_packed(p + first, loaded);
#pragma unroll
      for (int c = 0; c < pack; ++c) to[first + c] = loaded.elements[c];
    }
  } else {
#pragma unroll
    for (int c = 0; c < count; ++c) to[c] = __ldg(p + c);
  }
}

/// Stores p[0], ..., p[count - 1]; where `packed`, p is aligned to pack_of<T, count> elements.
template <int count, typename T>
__device__ void store_columns(T* p, const T (&from)[count], bool packed) {
  constexpr int pack = pack_of<T, count>;
  if (packed && pack > 1) {
#pragma unroll
    for (int first = 0; first < count; first += pack) {
      Packed<T, pack> stored;
#pragma unroll
      for (int c = 0; c < pack; ++c) stored.elements[c] = from[first + c];
      *reinterpret_cast<Packed<T, pack>*>(p + first) = stored;
    }
  } else {
#pragma unroll
    for (int c = 0; c < count; ++c) p[c] = from[c];
  }
}

/// Whether every row of a row-major array of `columns` columns is aligned to `bytes`.
template <typename T>
bool rows_aligned(const T* data, Index columns, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0 &&
         static_cast<std::size_t>(columns) * sizeof(T) % bytes == 0;
}

}  // namespace spsolve::cuda::core
