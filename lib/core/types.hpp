#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "core/scalar.hpp"
#include "core/words.hpp"
#include "spsolve/types.hpp"

namespace spsolve::inline core {

inline constexpr std::string_view precision_words[] = {"float", "double", "mixed"};
constexpr Words words_of(Precision) {
  return precision_words;
}

/// The precision of values of type T.
template <typename T>
inline constexpr Precision precision_of =
    std::is_same_v<Real<T>, float> ? Precision::float32 : Precision::float64;

/// f(T()) for the scalar T that a system over Field is eliminated in:
/// Low<Field> of float32, else Field.
template <typename Field = double, typename F>
decltype(auto) with_scalar(Precision precision, const F& f) {
  return precision == Precision::float32 ? f(Low<Field>()) : f(Field());
}

/// Bytes of one number.
constexpr std::size_t value_bytes(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

}  // namespace spsolve::core
