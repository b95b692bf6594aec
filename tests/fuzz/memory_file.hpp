#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace spsolve::fuzz {

/// A file that lies in memory only, with a path by which this process can open it.
class MemoryFile {
 public:
  explicit MemoryFile(const std::vector<std::uint8_t>& bytes)
      : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    const bool written = descriptor_ >= 0 && ::write(descriptor_, bytes.data(), bytes.size()) ==
                                                 static_cast<ssize_t>(bytes.size());
    if (!written) std::abort();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace spsolve::fuzz
