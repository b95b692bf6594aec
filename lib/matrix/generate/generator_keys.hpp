#pragma once

#include <cmath>

#include "core/types.hpp"
#include "matrix/random.hpp"

namespace spsolve::inline matrix::generated {

// The uses of a seed's random numbers; each has its own key.
enum Use : std::uint64_t { for_values = 1, for_lengths, for_columns, for_order };

inline std::uint64_t key_of(Index seed, Use use) {
  return random_bits(mix_bits(static_cast<std::uint64_t>(seed)), use);
}

/// (1 + u) 2^k with u uniform in [0, 1) and k among first .. last - 1: spread over the powers of
/// two between alike, and the same bits on every machine.
inline double log_uniform(std::uint64_t bits, int first, int last) {
  const auto k = static_cast<int>(random_below(mix_bits(bits), last - first));
  return std::ldexp(1.0 + unit_interval(bits), first + k);
}

}  // namespace spsolve::matrix::generated
