#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace spsolve::inline io {

/// The file that `path` leads to, which need not be there. Throws Error(resources) where a link on
/// the way is another user's, neither this process' nor that of the folder's owner, and anyone may
/// put links into that folder, as into /tmp (world-writable, sticky).
std::filesystem::path path_without_links(const std::filesystem::path& path);

/// A file that is written piece by piece, and counts from commit() on. All failures throw
/// Error(resources) with the file's name and the system's reason.
class File {
 public:
  virtual ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Appends `bytes`; unbuffered, so hand over large pieces.
  void write(std::string_view bytes);

  /// Puts `beginning` in the place of the file's first bytes, as the last that is written, and
  /// flushes to the disk. To be called once, last.
  virtual void commit(std::string_view beginning) = 0;

 protected:
  explicit File(std::filesystem::path path) : path_(std::move(path)) {}

  void write_beginning(std::string_view bytes) const;
  void flush() const;
  void close();
  [[noreturn]] void fail_with_reason(int reason) const;

  std::filesystem::path path_;  // as the caller named it
  int descriptor_ = -1;
};

/// A file that comes into being whole or not at all: written under a temporary name next to the
/// target, flushed to the disk and renamed by commit(). Without commit() the temporary file is
/// removed and an older file of the target's name stays. A symbolic link is followed, but for one
/// that another user has put into a folder such as /tmp. The new file has the mode of the one that
/// it replaces. A target that is no regular file - "-", a pipe, a device - is written to as it is,
/// without commit() too, and cannot be given a beginning at last.
class AtomicFile final : public File {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile() override;

  void commit(std::string_view beginning = {}) override;

 private:
  void open_as_it_is();

  std::filesystem::path target_;  // without symbolic links; empty: it is written through
  std::filesystem::path temporary_;
};

/// A file that is there and gets more after its first `size` bytes; older bytes after them are
/// lost. The first bytes stay as they are up to commit(), which flushes the new bytes before it
/// puts the beginning in its place.
class GrowingFile final : public File {
 public:
  GrowingFile(const std::filesystem::path& path, std::int64_t size);

  void commit(std::string_view beginning) override;
};

/// Throws Error(resources) where a file of results could not be made, as its folder is not there or
/// takes none, or as path_without_links() does: better before the work than after it. "" is no
/// file, and passes.
void require_folder_of(const std::filesystem::path& file);

/// Writes `text` to a file, whole or not at all, as AtomicFile does.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace spsolve::io
