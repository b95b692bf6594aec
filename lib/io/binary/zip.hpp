#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/untouched_array.hpp"
#include "io/files/atomic_file.hpp"

// Zip archives (PKWARE, .ZIP File Format Specification 6.3.10), as numpy keeps several arrays in
// one: members stored or deflated, with 64-bit sizes where they are needed.

namespace spsolve::io {

bool is_zip(std::string_view bytes);

/// One file of an archive.
struct ZipMember {
  std::string name;
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

/// A member's bytes: of one that is stored those of the archive.
class ZipContent {
 public:
  /// Inflates and checks the sum, of stored members too. Throws Error(input) where something is
  /// wrong, Error(resources) where more than `limit` bytes would come.
  ZipContent(const ZipMember& member, const std::string& archive, std::size_t limit);

  /// The first `size` bytes alone, or as many as there are, without a sum.
  static ZipContent front(const ZipMember& member, const std::string& archive, std::size_t size);

  std::string_view bytes() const { return bytes_; }

 private:
  ZipContent() = default;
  void inflate(const ZipMember& member, const std::string& archive, std::size_t size);

  UntouchedArray<char> inflated_;
  std::string_view bytes_;
};

/// Writes an archive of stored members, whole or not at all, as AtomicFile does.
class ZipWriter {
 public:
  /// Sizes and places of at least `large` are written with 64 bits; others need not be.
  explicit ZipWriter(const std::filesystem::path& path, std::uint64_t large = 0xffffffff)
      : file_(path), large_(large) {}

  /// Adds a file that is made of `parts`, one behind the other.
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
