#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "core/words.hpp"
#include "spsolve/types.hpp"

namespace spsolve::inline core {

inline constexpr std::string_view precision_words[] = {"float", "double", "mixed"};
constexpr Words words_of(Precision) {
  return precision_words;
}

/// The precision whose values are of type T, float or double.
template <typename T>
inline constexpr Precision precision_of =
    std::is_same_v<T, float> ? Precision::float32 : Precision::float64;

/// Bytes of one number.
constexpr std::size_t value_bytes(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

}  // namespace spsolve::core
