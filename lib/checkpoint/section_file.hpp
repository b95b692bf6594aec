#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "io/files/atomic_file.hpp"

namespace spsolve::inline checkpoint {

/// The meaning of the bytes of a section: whoever writes a section declares its kind, and counts
/// the version up where it writes other bytes under the same name.
struct SectionKind {
  std::string_view name;  ///< of at most 31 characters, such as "rows" or "subtree 12"
  std::uint32_t version = 1;
};

/// A section that a file holds.
struct FileSection {
  std::string name;
  std::uint32_t version = 0;
  std::int64_t offset = 0;  ///< of its bytes in the file
  std::int64_t size = 0;
  std::uint64_t sum = 0;  ///< checksum of its bytes
};

/// Writes a file of named sections, version 2, in the byte order of the machine:
///
///     head       of fixed size: mark, byte order, version, where the last section ends, how many
///                there are, checksum of the head
///     sections one after another, each as its bytes and, after them, its entry: name, version,
///                length and checksum of the bytes, checksum of the entry
///
/// The head tells where the newest entry lies, and each entry where the one before it does: so
/// sections are added to a file one by one, and nothing that is there is written again but the
/// head, last. Bytes after the end that the head names are of an addition that was cut short, and
/// count for nothing. Failures throw Error(resources) with the file's name and the reason.
class SectionWriter {
 public:
  /// A writer of a new file: whole or not at all (io::AtomicFile).
  explicit SectionWriter(const std::filesystem::path& path);

  /// A writer of sections to be added to the file that is there: all of them count from commit()
  /// on, or none does. Throws Error(input) where the file is none of this form.
  static SectionWriter adding_to(const std::filesystem::path& path);

  /// Lets only the first `sections` of the file that is there count from now on. Throws as
  /// adding_to().
  static void cut(const std::filesystem::path& path, std::size_t sections);

  SectionWriter(SectionWriter&&) noexcept = default;

  /// Begins a section; the one before it is complete.
  void begin(const SectionKind& kind);

  /// Appends to the section that was begun.
  void write(std::span<const std::byte> bytes);

  /// Appends values as they lie in memory.
  template <typename T>
  void write_values(std::span<const T> values) {
    write(std::as_bytes(values));
  }

  /// Completes the file and flushes it to the disk: entries first, the head after them. To be
  /// called once, last. Bytes of the whole file.
  std::int64_t commit();

 private:
  explicit SectionWriter(std::unique_ptr<io::File> file, std::int64_t size, std::int64_t sections);

  void put(std::span<const std::byte> bytes);
  void complete();

  std::unique_ptr<io::File> file_;
  std::int64_t size_ = 0;
  std::int64_t sections_ = 0;  // complete ones
  std::string name_;           // of the section that was begun, or ""
  std::uint32_t version_ = 0;
  std::int64_t begin_ = 0;
  Checksum sum_;
};

/// Reads a file of sections. All that is read is checked before it is believed: a file of any
/// content costs no more memory than a few times its size, and is refused by an Error(input) that
/// names it and says in one sentence what is wrong.
class SectionReader {
 public:
  /// Opens the file and reads its head and all entries.
  explicit SectionReader(const std::filesystem::path& path);
  ~SectionReader();
  SectionReader(const SectionReader&) = delete;
  SectionReader& operator=(const SectionReader&) = delete;

  /// In the order in which they were written.
  const std::vector<FileSection>& sections() const { return sections_; }

  /// The section of that name, of two the later one; null where there is none.
  const FileSection* find(std::string_view name) const;

  /// find(), but a section that is missing or has another version is refused.
  const FileSection& section(const SectionKind& kind) const;

  /// Reads all sections once and compares their checksums.
  void verify() const;

  /// The bytes of a section from its byte `first` on.
  void read(const FileSection& section, std::int64_t first, std::span<std::byte> bytes) const;

  /// All bytes of a section.
  std::vector<std::byte> read(const FileSection& section) const;

  const std::filesystem::path& path() const { return path_; }

  /// Bytes of the file that count.
  std::int64_t size() const { return end_; }

  /// Throws an Error(input) with the file's name before the text.
  template <typename... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    fail(ExitCode::input, "{}: {}", path_.string(),
         fmt::format(text, std::forward<Arguments>(arguments)...));
  }

 private:
  void read_entries();
  void read_at(std::int64_t offset, std::span<std::byte> bytes) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t end_ = 0;
  std::vector<FileSection> sections_;
};

}  // namespace spsolve::checkpoint
