#pragma once

#include <cstdint>

#include "core/types.hpp"
#include "matrix/random.hpp"

namespace spsolve::inline matrix::generated {

/// A pseudo-random permutation of 0 .. size - 1, evaluated without storing it: four rounds of a
/// Feistel network on the next power of four, walked until it lands inside (Black, Rogaway 2002).
/// Expected cost: at most four walks, forth or back.
class RandomOrder {
 public:
  RandomOrder(std::uint64_t key, Index size) : key_(key), size_(size) {
    while ((Index{1} << (2 * half_bits_)) < size) ++half_bits_;
    mask_ = (std::uint64_t{1} << half_bits_) - 1;
  }

  Index operator()(Index index) const {
    auto x = static_cast<std::uint64_t>(index);
    do {
      std::uint64_t left = x >> half_bits_, right = x & mask_;
      for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::uint64_t mixed = left ^ mix(round, right);
        left = right;
        right = mixed;
      }
      x = left << half_bits_ | right;
    } while (x >= static_cast<std::uint64_t>(size_));
    return static_cast<Index>(x);
  }

  /// The index whose place this is.
  Index inverse(Index place) const {
    auto x = static_cast<std::uint64_t>(place);
    do {
      std::uint64_t left = x >> half_bits_, right = x & mask_;
      for (std::uint64_t round = rounds; round-- > 0;) {
        const std::uint64_t mixed = right ^ mix(round, left);
        right = left;
        left = mixed;
      }
      x = left << half_bits_ | right;
    } while (x >= static_cast<std::uint64_t>(size_));
    return static_cast<Index>(x);
  }

 private:
  static constexpr std::uint64_t rounds = 4;

  std::uint64_t mix(std::uint64_t round, std::uint64_t half) const {
    return random_bits(key_ + round, half) & mask_;
  }

  std::uint64_t key_;
  Index size_;
  int half_bits_ = 1;
  std::uint64_t mask_;
};

}  // namespace spsolve::matrix::generated
