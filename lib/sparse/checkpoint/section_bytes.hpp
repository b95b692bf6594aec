#pragma once

#include <cstring>

#include "checkpoint/section_file.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"

namespace spsolve::inline sparse {

inline constexpr std::size_t section_piece = std::size_t{1} << 20;

/// Writes what is named into the section that was begun, small things together.
class BytesToSection final : public FrontBytes {
 public:
  explicit BytesToSection(SectionWriter& file) : file_(file) { piece_.reserve(section_piece); }
  bool reads() const override { return false; }

  /// To be called last.
  void finish() {
    file_.write(piece_);
    piece_.clear();
  }

 private:
  void bytes(std::span<std::byte> bytes) override {
    if (piece_.size() + bytes.size() > section_piece) finish();
    if (bytes.size() > section_piece) {
      file_.write(bytes);
    } else {
      piece_.insert(piece_.end(), bytes.begin(), bytes.end());
    }
  }
  std::size_t checked(Index count, std::size_t) const override {
    return static_cast<std::size_t>(count);
  }

  SectionWriter& file_;
  std::vector<std::byte> piece_;
};

/// Reads what is named from a section, in its order. Refuses to read beyond its end.
class BytesFromSection final : public FrontBytes {
 public:
  BytesFromSection(const SectionReader& file, const FileSection& section)
      : file_(file), section_(section) {}
  bool reads() const override { return true; }
  bool is_at_the_end() const { return at_ == section_.size; }

 private:
  void bytes(std::span<std::byte> bytes) override {
    const auto count = static_cast<std::int64_t>(bytes.size());
    if (count == 0) return;
    if (count > static_cast<std::int64_t>(section_piece)) {
      file_.read(section_, at_, bytes);
    } else {
      if (at_ < piece_at_ || at_ + count > piece_at_ + std::ssize(piece_)) read_piece(count);
      std::memcpy(bytes.data(), piece_.data() + (at_ - piece_at_), bytes.size());
    }
    at_ += count;
  }
  void read_piece(std::int64_t least) {
    const auto left = std::max(least, section_.size - at_);  // more than there is is refused
    piece_.resize(std::min(section_piece, static_cast<std::size_t>(left)));
    piece_at_ = at_;
    file_.read(section_, at_, piece_);
  }
  std::size_t checked(Index count, std::size_t value_bytes) const override {
    const auto most = (section_.size - at_) / static_cast<std::int64_t>(value_bytes);
    if (count < 0 || count > most) file_.refuse("contradicts itself");
    return static_cast<std::size_t>(count);
  }

  const SectionReader& file_;
  const FileSection& section_;
  std::int64_t at_ = 0, piece_at_ = 0;
  std::vector<std::byte> piece_;
};

}  // namespace spsolve::sparse
