#include "checkpoint/section_bytes.hpp"

#include <cstring>

namespace spsolve::inline checkpoint {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

}  // namespace

void BytesToFile::end() {
  file_.write(piece_);
  piece_.clear();
}

void BytesToFile::bytes(std::span<std::byte> bytes) {
  if (piece_.size() + bytes.size() > piece_bytes) end();
  if (bytes.size() > piece_bytes) {
    file_.write(bytes);
  } else {
    piece_.insert(piece_.end(), bytes.begin(), bytes.end());
  }
}

void BytesFromFile::begin(const SectionKind& kind) {
  section_ = &file_.section(kind);
  at_ = piece_at_ = 0;
  piece_.clear();
}

void BytesFromFile::end() {
  if (!is_at_the_end()) file_.refuse("contradicts itself");
}

void BytesFromFile::bytes(std::span<std::byte> bytes) {
  const auto count = static_cast<std::int64_t>(checked(std::ssize(bytes), 1));
  if (count == 0) return;
  if (count > static_cast<std::int64_t>(piece_bytes)) {
    file_.read(*section_, at_, bytes);
  } else {
    if (at_ + count > piece_at_ + std::ssize(piece_)) {
      piece_.resize(std::min(piece_bytes, static_cast<std::size_t>(section_->size - at_)));
      piece_at_ = at_;
      file_.read(*section_, at_, piece_);
    }
    std::memcpy(bytes.data(), piece_.data() + (at_ - piece_at_), bytes.size());
  }
  at_ += count;
}

std::size_t BytesFromFile::checked(Index count, std::size_t value_bytes) const {
  const auto most = (section_->size - at_) / static_cast<std::int64_t>(value_bytes);
  if (count < 0 || count > most) file_.refuse("contradicts itself");
  return static_cast<std::size_t>(count);
}

std::size_t BytesFromFile::left(std::size_t value_bytes) const {
  const auto bytes = static_cast<std::size_t>(section_->size - at_);
  if (bytes % value_bytes != 0) file_.refuse("its section '{}' is cut short", section_->name);
  return bytes / value_bytes;
}

}  // namespace spsolve::checkpoint
