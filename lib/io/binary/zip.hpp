#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/untouched_array.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/inflater.hpp"

// Zip archives (PKWARE, .ZIP File Format Specification 6.3.10), as numpy keeps several arrays in
// one: members stored or deflated, with 64-bit sizes where they are needed.

namespace spsolve::inline io {

bool is_zip(std::string_view bytes);

/// The front of a text of a file for an error's sentence: 40 characters, each printable.
std::string shown(std::string_view text);

/// One file of an archive.
struct ZipMember {
  std::string name;         ///< as shown() does
  std::string_view packed;  ///< as it lies in the archive
  std::size_t size = 0;     ///< of the file
  std::uint32_t crc = 0;
  bool deflated = false;
};

/// The members of an archive. Throws Error(input) where `bytes` are not one, or a member is
/// compressed by other means; `archive` stands for the file.
std::vector<ZipMember> zip_members(std::string_view bytes, const std::string& archive);

/// The sum of some bytes (CRC-32), and that of bytes whose sum is `front`'s followed by `size`
/// whose sum is `back`'s.
std::uint32_t crc_of(std::string_view bytes);
std::uint32_t joined_crc(std::uint32_t front, std::uint32_t back, std::size_t size);

/// Throws Error(input) where a member has another sum than `sum`.
void require_crc(const ZipMember& member, std::uint32_t sum, const std::string& archive);

/// Throws Error(resources) where a member inflates to more than `most` bytes, half of the memory
/// that is free.
void require_room(const ZipMember& member, std::int64_t most, const std::string& archive);

/// A member's bytes from front to back: of one that is stored those of the archive. Bytes that were
/// not asked for are not inflated.
class ZipStream {
 public:
  /// Throws Error(input) where so few bytes cannot inflate to the member.
  ZipStream(const ZipMember& member, const std::string& archive);

  /// The next `size` bytes, fewer at the end only; valid until the next call. Throws Error(input)
  /// where they are damaged, or the member ends elsewhere than the archive says.
  std::string_view next(std::size_t size);

  /// The next bytes as by next(); throws also Error(input) where the sum differs at the end of a
  /// member that was read by this alone.
  std::string_view checked(std::size_t size);

  std::size_t left() const { return member_.size - read_; }

 private:
  const ZipMember& member_;
  const std::string& archive_;
  std::string_view packed_;
  std::optional<Inflater> inflater_;
  UntouchedArray<char> buffer_;
  std::size_t read_ = 0;
  std::uint32_t sum_ = 0;
};

/// Writes an archive of stored members, whole or not at all, as AtomicFile does.
class ZipWriter {
 public:
  /// Sizes and places of at least `large` are written with 64 bits; others need not be.
  explicit ZipWriter(const std::filesystem::path& path, std::uint64_t large = 0xffffffff)
      : file_(path), large_(large) {}

  /// Adds a file that is made of `parts`, one after the other.
  void add(const std::string& name, const std::vector<std::string_view>& parts);
  void commit();

 private:
  struct Written {
    std::string name;
    std::uint64_t size, offset;
    std::uint32_t crc;
  };
  void write(std::string_view bytes);

  AtomicFile file_;
  std::uint64_t large_;
  std::uint64_t at_ = 0;
  std::vector<Written> written_;
};

}  // namespace spsolve::io
