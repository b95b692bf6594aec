#include "core/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace spsolve {

namespace {

constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t prime_2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t prime_3 = 0x165667B19E3779F9;
constexpr std::uint64_t prime_4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t prime_5 = 0x27D4EB2F165667C5;

static_assert(std::endian::native == std::endian::little,
              "the checksum is defined on words in little-endian order");

template <typename Word>
std::uint64_t word_at(const std::byte* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t round(std::uint64_t sum, std::uint64_t word) {
  return std::rotl(sum + word * prime_2, 31) * prime_1;
}

std::uint64_t merge(std::uint64_t hash, std::uint64_t sum) {
  return (hash ^ round(0, sum)) * prime_1 + prime_4;
}

}  // namespace

Checksum::Checksum() : sums_{prime_1 + prime_2, prime_2, 0, 0 - prime_1} {}

void Checksum::add_stripe(const std::byte* bytes) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i] = round(sums_[i], word_at<std::uint64_t>(bytes + 8 * i));
  }
}

void Checksum::add(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (rest_size_ > 0) {
    const std::size_t taken = std::min(stripe - rest_size_, bytes.size());
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(rest_size_));
    rest_size_ += taken;
    bytes = bytes.subspan(taken);
    if (rest_size_ < stripe) return;
    add_stripe(rest_.data());
    rest_size_ = 0;
  }
  for (; bytes.size() >= stripe; bytes = bytes.subspan(stripe)) add_stripe(bytes.data());
  std::ranges::copy(bytes, rest_.begin());
  rest_size_ = bytes.size();
}

std::uint64_t Checksum::value() const {
  std::uint64_t hash = prime_5;
  if (size_ >= stripe) {
    hash = std::rotl(sums_[0], 1) + std::rotl(sums_[1], 7) + std::rotl(sums_[2], 12) +
           std::rotl(sums_[3], 18);
    for (const std::uint64_t sum : sums_) hash = merge(hash, sum);
  }
  hash += size_;
  const std::byte* next = rest_.data();
  std::size_t left = rest_size_;
  for (; left >= 8; left -= 8, next += 8) {
    hash = std::rotl(hash ^ round(0, word_at<std::uint64_t>(next)), 27) * prime_1 + prime_4;
  }
  if (left >= 4) {
    hash = std::rotl(hash ^ (word_at<std::uint32_t>(next) * prime_1), 23) * prime_2 + prime_3;
    left -= 4;
    next += 4;
  }
  for (; left > 0; --left, ++next) {
    hash = std::rotl(hash ^ (word_at<std::uint8_t>(next) * prime_5), 11) * prime_1;
  }
  hash = (hash ^ (hash >> 33)) * prime_2;
  hash = (hash ^ (hash >> 29)) * prime_3;
  return hash ^ (hash >> 32);
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

}  // namespace spsolve
