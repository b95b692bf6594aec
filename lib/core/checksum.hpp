#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace spsolve {

/// The 64-bit checksum XXH64 (Y. Collet, xxHash specification 0.1.1), seed 0, of bytes that come in
/// pieces: the same however they are cut. It runs at the speed of memory; it finds damage, not
/// malice.
class Checksum {
 public:
  Checksum();

  void add(std::span<const std::byte> bytes);

  /// Of all bytes so far.
  std::uint64_t value() const;

 private:
  static constexpr std::size_t stripe = 32;

  void add_stripe(const std::byte* bytes);

  std::array<std::uint64_t, 4> sums_;     // of every fourth word of 8 bytes
  std::array<std::byte, stripe> rest_{};  // of an incomplete stripe
  std::size_t rest_size_ = 0;
  std::uint64_t size_ = 0;
};

/// Of bytes that lie together.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace spsolve
