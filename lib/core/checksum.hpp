#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace spsolve::inline core {

/// The 64-bit checksum XXH64 (Y. Collet, xxHash specification 0.1.1), seed 0, of bytes that come in
/// pieces: the same however they are cut. It runs at the speed of memory; it finds damage, not
/// malice.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void add(std::span<const std::byte> bytes);

  /// The checksum of all bytes so far.
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The checksum of bytes that lie together.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// The checksum of bytes that lie together, by all threads: that of the checksums of blocks of
/// them.
std::uint64_t checksum_of_blocks(std::span<const std::byte> bytes);

}  // namespace spsolve::core
