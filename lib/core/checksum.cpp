#include "core/checksum.hpp"

#include <algorithm>
#include <vector>

#define XXH_INLINE_ALL  // the header alone: nothing to link
#include <xxhash.h>

namespace spsolve::inline core {

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

std::uint64_t checksum_of_blocks(std::span<const std::byte> bytes) {
  constexpr std::size_t block = std::size_t{1} << 20;
  std::vector<std::uint64_t> sums((bytes.size() + block - 1) / block);
#pragma omp parallel for schedule(static) if (sums.size() > 1)
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] = checksum(bytes.subspan(k * block, std::min(block, bytes.size() - k * block)));
  }
  return checksum(std::as_bytes(std::span(sums)));
}

}  // namespace spsolve::core
