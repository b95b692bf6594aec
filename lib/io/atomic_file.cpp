#include "io/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"

namespace spsolve::io {

namespace fs = std::filesystem;

AtomicFile::AtomicFile(const fs::path& path) : path_(path), target_(path) {
  // Links are followed one by one, for the last may lead to a file that is yet to come.
  std::error_code none;
  for (int links = 0; fs::is_symlink(target_, none); ++links) {
    if (links == 40) fail_with_reason(ELOOP);
    target_ = target_.parent_path() / fs::read_symlink(target_, none);
  }
  struct stat status {};
  const bool replaces = ::stat(path.c_str(), &status) == 0;
  if (replaces && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) fail_with_reason(EISDIR);
    fail(ExitCode::resources,
         "{}: cannot be written (not a regular file); name a file that may be replaced",
         path.string());
  }
  const mode_t mode = replaces ? status.st_mode & 0777 : 0666;
  static std::atomic<unsigned> serial{0};
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  // A name of its own, short enough where the target's name is at the file system's limit.
  do {
    temporary_ = folder / fmt::format(".{}.{}-{}.tmp", target_.filename().string().substr(0, 200),
                                      ::getpid(), serial++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail_with_reason(errno);
  // Beyond what umask leaves; a file system that knows no modes refuses, and nothing is lost.
  if (replaces) ::fchmod(descriptor_, mode);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_with_reason(errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void AtomicFile::commit() {
  // A file system without fsync says EINVAL; what it was given is as safe as it can make it.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_with_reason(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_with_reason(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_with_reason(errno);
  temporary_.clear();
  // The folder's entry, too: a failure here no longer makes the file less than whole.
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

void AtomicFile::fail_with_reason(int reason) const {
  fail(ExitCode::resources,
       "{}: cannot be written ({}); check the folder, its permissions and the space left",
       path_.string(), std::strerror(reason));
}

void write_text(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace spsolve::io
