#include "core/checksum.hpp"

#define XXH_INLINE_ALL  // the header alone: nothing to link
#include <xxhash.h>

namespace spsolve {

struct Checksum::State {
  XXH64_state_t sum;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {
  XXH64_reset(&state_->sum, 0);
}

Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH64_update(&state_->sum, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const {
  return XXH64_digest(&state_->sum);
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

}  // namespace spsolve
