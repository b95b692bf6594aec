#pragma once

#include <filesystem>
#include <optional>

#include <unistd.h>

// Names that stand for no regular file on a disk: "-", /dev/stdin, pipes.

namespace spsolve::inline io {

/// A file descriptor that closes itself; negative where opening failed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

/// The descriptor of this process that `path` stands for: N of /dev/fd/N and /proc/self/fd/N, 0 to
/// 2 of /dev/stdin, /dev/stdout and /dev/stderr, and of "-" the `standard` one; none of others.
std::optional<int> descriptor_named(const std::filesystem::path& path, int standard);

/// Whether data written to `path` appear on the standard output.
bool is_standard_output(const std::filesystem::path& path);

/// Whether data written to `path` go there at once and replace nothing: a descriptor's name, or a
/// file that exists and is neither regular nor a folder.
bool is_written_through(const std::filesystem::path& path);

/// For a source that is no file on a disk that could be opened anew: a descriptor under which all
/// of it can be read from the beginning, as often as wanted, as long as the process lives. Data
/// that come once only, as from a pipe, are kept in memory. None where `path` is an ordinary file,
/// or nothing. Throws Error(input) where reading fails, Error(resources) where more comes than half
/// of the memory that is free.
std::optional<int> descriptor_to_read(const std::filesystem::path& path);

}  // namespace spsolve::io
