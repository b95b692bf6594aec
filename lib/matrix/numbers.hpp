#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/types.hpp"

namespace spsolve::inline matrix {

enum class NumberType {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  complex64,
  complex128
};

constexpr std::size_t bytes_of(NumberType type) {
  constexpr std::size_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
  return bytes[static_cast<std::size_t>(type)];
}
constexpr bool is_integer(NumberType type) {
  return type >= NumberType::int8 && type <= NumberType::uint64;
}
constexpr bool has_two_parts(NumberType type) {
  return type >= NumberType::complex64;
}
constexpr std::string_view name(NumberType type) {
  constexpr std::string_view names[] = {"bool",    "int8",      "int16",     "int32",  "int64",
                                        "uint8",   "uint16",    "uint32",    "uint64", "float32",
                                        "float64", "complex64", "complex128"};
  return names[static_cast<std::size_t>(type)];
}

/// Numbers of one type that lie one after the other, at any address and in either order of bytes,
/// as in a file.
struct Numbers {
  const char* data = nullptr;
  Index count = 0;
  NumberType type = NumberType::float64;
  bool big_endian = false;

  /// `size` of them from number `first` on.
  Numbers part(Index first, Index size) const {
    return {data + first * static_cast<Index>(bytes_of(type)), size, type, big_endian};
  }

  /// Real numbers as they are; of complex ones the real and imaginary parts in turn.
  Numbers in_parts() const {
    if (!has_two_parts(type)) return *this;
    const bool narrow = type == NumberType::complex64;
    return {data, 2 * count, narrow ? NumberType::float32 : NumberType::float64, big_endian};
  }
};

/// The k-th number of those at `data`.
template <typename T, bool swap>
T number_at(const char* data, Index k) {
  const char* const place = data + k * static_cast<Index>(sizeof(T));
  char bytes[sizeof(T)];
  std::memcpy(bytes, place, sizeof(T));
  if constexpr (swap) {
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
  }
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Calls visit(at), where at(k) is the k-th of `numbers`, which are real, as what it is.
template <typename Visit>
decltype(auto) visit_numbers(const Numbers& numbers, Visit&& visit) {
  const auto with = [&]<typename T>(T) -> decltype(auto) {
    const char* const data = numbers.data;
    const bool swap = numbers.big_endian != (std::endian::native == std::endian::big);
    if (swap) return visit([data](Index k) { return number_at<T, true>(data, k); });
    return visit([data](Index k) { return number_at<T, false>(data, k); });
  };
  switch (numbers.type) {
    case NumberType::int8:
      return with(std::int8_t{});
    case NumberType::int16:
      return with(std::int16_t{});
    case NumberType::int32:
      return with(std::int32_t{});
    case NumberType::int64:
      return with(std::int64_t{});
    case NumberType::boolean:
    case NumberType::uint8:
      return with(std::uint8_t{});
    case NumberType::uint16:
      return with(std::uint16_t{});
    case NumberType::uint32:
      return with(std::uint32_t{});
    case NumberType::uint64:
      return with(std::uint64_t{});
    case NumberType::float32:
      return with(float{});
    default:
      return with(double{});
  }
}

}  // namespace spsolve::matrix
