#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spsolve::io {

/// A file that comes into being whole or not at all: written under a temporary name beside the
/// target, flushed to the disk and renamed by commit(). Without commit() the temporary file is
/// removed and an older file of the target's name stays. A symbolic link is followed. The new file
/// has the mode of the one that it replaces. All failures throw Error(resources) with the target's
/// name and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends `bytes`; unbuffered, so hand over large pieces.
  void write(std::string_view bytes);

  /// Flushes, closes and renames. To be called once, last.
  void commit();

 private:
  [[noreturn]] void fail_with_reason(int reason) const;

  std::filesystem::path path_;    // as the caller named it
  std::filesystem::path target_;  // without symbolic links
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

/// Writes `text` to a file, whole or not at all, as AtomicFile does.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace spsolve::io
