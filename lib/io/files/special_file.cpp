#include "io/files/special_file.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "process/system.hpp"

namespace spsolve::inline io {

namespace fs = std::filesystem;

namespace {

bool is_regular_or_folder(const struct stat& status) {
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

/// Whether data from a file of this status come once, and have an end.
bool streams(const struct stat& status, int descriptor) {
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ||
         (S_ISCHR(status.st_mode) && ::isatty(descriptor) != 0);
}

/// Copies all that comes from `from` into memory that is a file.
int keep_all(int from, const std::string& name) {
  const int kept = ::memfd_create("spsolve", MFD_CLOEXEC);
  if (kept < 0) {
    fail(ExitCode::resources, "{}: cannot be kept in memory ({}); copy it into a file", name,
         std::strerror(errno));
  }
  const std::int64_t limit = available_memory() / 2;
  std::int64_t size = 0;
  std::vector<char> piece(std::size_t{1} << 20);
  const auto give_up = [&](ExitCode code, std::string_view why) {
    ::close(kept);
    fail(code, "{}: {}", name, why);
  };
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      give_up(ExitCode::input, fmt::format("cannot be read ({})", std::strerror(errno)));
    }
    if (got == 0) return kept;
    size += got;
    if (size > limit) {
      give_up(ExitCode::resources,
              fmt::format("more comes than half of the memory that is free, {} MiB; copy it "
                          "into a file, and name that",
                          limit >> 20));
    }
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::write(kept, piece.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) {
        give_up(ExitCode::resources,
                fmt::format("cannot be kept in memory ({})", std::strerror(errno)));
      }
      done += put;
    }
  }
}

}  // namespace

std::optional<int> descriptor_named(const fs::path& path, int standard) {
  if (path == "-") return standard;
  if (path == "/dev/stdin") return 0;
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  const std::string text = path.string();
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    int number = -1;
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data() + folder.size(), last, number);
    if (problem == std::errc{} && end == last && number >= 0) return number;
  }
  return std::nullopt;
}

bool is_standard_output(const fs::path& path) {
  return descriptor_named(path, STDOUT_FILENO) == STDOUT_FILENO;
}

bool is_written_through(const fs::path& path) {
  if (descriptor_named(path, STDOUT_FILENO)) return true;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !is_regular_or_folder(status);
}

std::optional<int> descriptor_to_read(const fs::path& path) {
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, int> kept;
  const auto named = descriptor_named(path, STDIN_FILENO);
  struct stat status {};
  const bool found = named ? ::fstat(*named, &status) == 0 : ::stat(path.c_str(), &status) == 0;
  if (!found) return std::nullopt;
  // A descriptor of a regular file can be read from its beginning as often as wanted.
  if (named && S_ISREG(status.st_mode)) return named;
  if (named && !streams(status, *named)) return named;  // which no reader takes
  if (!named && !S_ISFIFO(status.st_mode)) return std::nullopt;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = kept.try_emplace({status.st_dev, status.st_ino}, -1);
  if (!is_new) return place->second;
  try {
    if (named) {
      place->second = keep_all(*named, path == "-" ? "the standard input" : path.string());
    } else {
      const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};  // waits for a writer
      place->second = keep_all(file.number(), path.string());
    }
  } catch (...) {
    kept.erase(place);
    throw;
  }
  return place->second;
}

}  // namespace spsolve::io
