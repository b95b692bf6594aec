#pragma once

#include <cstdint>
#include <filesystem>

namespace spsolve::inline io {

/// A file without a name, for what a run has no memory for: it is gone when the process ends,
/// however it does. All failures throw Error(resources) with the folder's name and the system's
/// reason. Any thread may read and write, not two the same bytes.
class ScratchFile {
 public:
  /// Makes one of so many bytes in a folder, whose room is taken at once. `key`: the option that
  /// names the folder, for sentences.
  ScratchFile(std::filesystem::path folder, std::int64_t bytes, const char* key);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  void write(std::int64_t at, const void* data, std::int64_t bytes) const;
  void read(std::int64_t at, void* data, std::int64_t bytes) const;
  /// These bytes will be read soon.
  void read_ahead(std::int64_t at, std::int64_t bytes) const;

 private:
  [[noreturn]] void fail_with_reason(const char* what, int reason) const;

  std::filesystem::path folder_;
  const char* key_;
  int descriptor_ = -1;
};

/// Bytes that this process can still write into files of a folder; 0 where there is no such folder.
std::int64_t free_bytes_of_folder(const std::filesystem::path& folder);

}  // namespace spsolve::io
