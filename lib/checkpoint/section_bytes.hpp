#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "checkpoint/section_file.hpp"
#include "core/types.hpp"

namespace spsolve::inline checkpoint {

/// The bytes of named sections in which a solver keeps its state: to be written, or to become what
/// was written. It names what it keeps once, in one order, for both.
class SectionBytes {
 public:
  virtual ~SectionBytes() = default;

  /// Whether what is named becomes what was written.
  virtual bool reads() const = 0;

  /// A section begins; of two that were written under one name, the later one.
  virtual void begin(const SectionKind& kind) = 0;
  /// All of it was named. Refuses what was written where it holds more.
  virtual void end() = 0;

  template <typename T>
  void value(T& value) {
    values(&value, 1);
  }
  template <typename T>
  void values(T* first, Index count) {
    bytes(std::as_writable_bytes(std::span(first, static_cast<std::size_t>(count))));
  }
  /// The length of a list: as many as are there, or as many as there were, whose values() follow.
  template <typename List>
  void length(List& list) {
    auto count = static_cast<Index>(list.size());
    value(count);
    if (reads()) list.resize(checked(count, sizeof(typename List::value_type)));
  }
  template <typename List>
  void list(List& list) {
    length(list);
    values(list.data(), std::ssize(list));
  }
  /// A list that is all that is left of the section, without its length.
  template <typename List>
  void rest(List& list) {
    if (reads()) list.resize(left(sizeof(typename List::value_type)));
    values(list.data(), std::ssize(list));
    end();
  }

 protected:
  virtual void bytes(std::span<std::byte> bytes) = 0;
  /// Refuses what was written where it does not hold so many values, or no whole number of them.
  virtual std::size_t checked(Index count, std::size_t value_bytes) const = 0;
  virtual std::size_t left(std::size_t value_bytes) const = 0;
};

/// Writes what is named, small things together.
class BytesToFile final : public SectionBytes {
 public:
  explicit BytesToFile(SectionWriter& file) : file_(file) {}
  bool reads() const override { return false; }
  void begin(const SectionKind& kind) override { file_.begin(kind); }
  void end() override;

 private:
  void bytes(std::span<std::byte> bytes) override;
  std::size_t checked(Index, std::size_t) const override { return 0; }
  std::size_t left(std::size_t) const override { return 0; }

  SectionWriter& file_;
  std::vector<std::byte> piece_;
};

/// Reads what is named, in its order. Refuses to read beyond the end of a section.
class BytesFromFile final : public SectionBytes {
 public:
  explicit BytesFromFile(const SectionReader& file) : file_(file) {}
  bool reads() const override { return true; }
  void begin(const SectionKind& kind) override;
  void end() override;
  bool is_at_the_end() const { return at_ == section_->size; }

 private:
  void bytes(std::span<std::byte> bytes) override;
  std::size_t checked(Index count, std::size_t value_bytes) const override;
  std::size_t left(std::size_t value_bytes) const override;

  const SectionReader& file_;
  const FileSection* section_ = nullptr;
  std::int64_t at_ = 0, piece_at_ = 0;
  std::vector<std::byte> piece_;
};

/// Rows of so many bytes that travel to or from a section in one piece, so that no second copy of a
/// band is ever made: a few megabytes, but one row at least.
inline Index rows_in_piece(std::size_t row_bytes) {
  constexpr std::size_t piece_bytes = std::size_t{4} << 20;
  return static_cast<Index>(
      std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, row_bytes)));
}

/// Calls work(first, count) for rows [0, rows), piece by piece.
template <typename Work>
void in_pieces(Index rows, std::size_t row_bytes, const Work& work) {
  const Index piece = rows_in_piece(row_bytes);
  for (Index first = 0; first < rows; first += piece) work(first, std::min(piece, rows - first));
}

}  // namespace spsolve::checkpoint
