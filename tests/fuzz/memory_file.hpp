#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace spsolve::fuzz {

/// A file that lies in memory only, with a path by which this process can open it.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size)
      : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    const bool written =
        descriptor_ >= 0 && ::write(descriptor_, data, size) == static_cast<ssize_t>(size);
    if (!written) std::abort();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Ends the fuzzer with a finding where `good` is false.
inline void require(bool good, const char* sentence) {
  if (good) return;
  std::fprintf(stderr, "%s\n", sentence);
  std::abort();
}

}  // namespace spsolve::fuzz
