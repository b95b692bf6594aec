#pragma once

#include <cstdint>

namespace spsolve::inline matrix {

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64 bits that mixes well.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// 64 pseudo-random bits that depend on `key` and `counter` only: a generator without a state, so
/// that number `counter` is the same whichever thread asks for it.
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t counter) {
  return mix_bits(key ^ mix_bits(counter));
}

/// Uniform in [0, 1): the upper 53 bits times 2^-53.
constexpr double unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Uniform in [-1, 1).
constexpr double symmetric_interval(std::uint64_t bits) {
  return 2.0 * unit_interval(bits) - 1.0;
}

/// Uniform in 0 .. bound - 1 for 1 <= bound < 2^53, with a bias below bound / 2^53.
constexpr std::int64_t random_below(std::uint64_t bits, std::int64_t bound) {
  return static_cast<std::int64_t>(unit_interval(bits) * static_cast<double>(bound));
}

}  // namespace spsolve::matrix
