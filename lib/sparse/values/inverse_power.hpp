#pragma once

#include <bit>
#include <cstdint>

namespace spsolve::inline sparse {

/// The power of two nearest to 1 / sqrt(value), or to 1 / value, from 2^-1000 to 2^1000; 1 where
/// there is none. Without a logarithm: those of a million numbers take longer than their
/// elimination may. For hosts and GPUs.
constexpr double inverse_power(double value, bool root) {
  constexpr int bias = 1023, mantissa_bits = 52, most = 1000;
  constexpr double largest = 0x1.fffffffffffffp+1023, smallest_normal = 0x1p-1022;
  if (!(value > 0) || value > largest) return 1;
  int exponent = 0;  // 2^exponent <= value < 2^(exponent + 1)
  if (value < smallest_normal) {
    value *= 0x1p54;
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << mantissa_bits) - 1;
  exponent += static_cast<int>(bits >> mantissa_bits) - bias;
  constexpr std::uint64_t root_of_two = 0x6a09e667f3bcd;  // the mantissa of sqrt(2), rounded
  const int beyond = (bits & mantissa) >= root_of_two ? 1 : 0;
  int power = root ? (exponent + 1) >> 1 : exponent + beyond;
  power = power > most ? most : power < -most ? -most : power;
  return std::bit_cast<double>(static_cast<std::uint64_t>(bias - power) << mantissa_bits);
}

}  // namespace spsolve::sparse
