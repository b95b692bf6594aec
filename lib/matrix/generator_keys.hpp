#pragma once

#include "core/types.hpp"
#include "matrix/random.hpp"

namespace spsolve::generated {

// What a seed's random numbers are used for; each use has its own key.
enum Use : std::uint64_t { for_values = 1, for_lengths, for_columns, for_order };

inline std::uint64_t key_of(Index seed, Use use) {
  return random_bits(mix_bits(static_cast<std::uint64_t>(seed)), use);
}

}  // namespace spsolve::generated
