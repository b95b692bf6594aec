#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

namespace spsolve::inline core::short_vectors {

// Vectors of a few elements, in the compiler's vector extension (GCC, Clang).

/// Bytes of this processor's vector registers.
#if defined(__AVX512BW__) && defined(__AVX512VL__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <typename T, int width>
struct VectorOf {
  using type __attribute__((vector_size(width * sizeof(T)))) = T;
};
/// `width` (a power of two) elements of T; + - * work on it element by element.
template <typename T, int width>
using Vector = typename VectorOf<T, width>::type;

template <typename V, typename T>
V load(const T* from) {
  V vector;
  std::memcpy(&vector, from, sizeof(V));
  return vector;
}

template <typename V, typename T>
void store(T* to, const V& vector) {
  std::memcpy(to, &vector, sizeof(V));
}

/// The elements of a vector at the places that place(k) names.
template <typename V, typename Place>
[[gnu::always_inline]] inline V picked(const V& vector, Place place) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(vector, vector, static_cast<int>(place(k))...);
  }
  (std::make_index_sequence<sizeof(V) / sizeof(vector[0])>());
}

}  // namespace spsolve::core::short_vectors
