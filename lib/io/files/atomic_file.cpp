#include "io/files/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/files/special_file.hpp"

namespace spsolve::inline io {

namespace fs = std::filesystem;

namespace {

/// Writes all of `bytes` by `some`, which writes some of them; whether it went well.
template <typename Some>
bool write_all(std::string_view bytes, const Some& some) {
  while (!bytes.empty()) {
    const ssize_t done = some(bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

fs::path path_without_links(const fs::path& path) {
  const auto refuse = [&](int reason) {
    fail(ExitCode::resources, "{}: where it leads to cannot be told ({}); name another file",
         path.string(), std::strerror(reason));
  };
  // One by one, for the last may lead to a file that is yet to come.
  fs::path target = path;
  std::error_code none;
  for (int links = 0; fs::is_symlink(target, none); ++links) {
    if (links == 40) refuse(ELOOP);
    const fs::path folder = folder_of(target);
    struct stat link {};
    struct stat around {};
    if (::lstat(target.c_str(), &link) != 0 || ::stat(folder.c_str(), &around) != 0) refuse(errno);
    const bool anyone_may = (around.st_mode & S_ISVTX) != 0 && (around.st_mode & S_IWOTH) != 0;
    if (anyone_may && link.st_uid != ::geteuid() && link.st_uid != around.st_uid) {
      fail(ExitCode::resources,
           "{}: {} is a link of another user in a folder that anyone may write to, and is not "
           "followed; remove it, or name another file",
           path.string(), target.string());
    }
    target = target.parent_path() / fs::read_symlink(target, none);
  }
  return target;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void File::write(std::string_view bytes) {
  const bool written = write_all(
      bytes, [&](std::string_view rest) { return ::write(descriptor_, rest.data(), rest.size()); });
  if (!written) fail_with_reason(errno);
}

void File::write_beginning(std::string_view bytes) const {
  off_t offset = 0;
  const bool written = write_all(bytes, [&](std::string_view rest) {
    const ssize_t done = ::pwrite(descriptor_, rest.data(), rest.size(), offset);
    if (done > 0) offset += done;
    return done;
  });
  if (!written) fail_with_reason(errno);
}

void File::flush() const {
  // A file system without fsync says EINVAL; the bytes that it was given are as safe as it can make
  // them.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_with_reason(errno);
}

void File::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_with_reason(errno);
}

void File::fail_with_reason(int reason) const {
  fail(ExitCode::resources,
       "{}: cannot be written ({}); check the folder, its permissions and the space left",
       path_.string(), std::strerror(reason));
}

AtomicFile::AtomicFile(const fs::path& path) : File(path), target_(path_without_links(path)) {
  if (is_written_through(path)) {
    open_as_it_is();
    return;
  }
  struct stat status {};
  const bool replaces = ::stat(path.c_str(), &status) == 0;
  if (replaces && S_ISDIR(status.st_mode)) fail_with_reason(EISDIR);
  const mode_t mode = replaces ? status.st_mode & 0777 : 0666;
  static std::atomic<unsigned> serial{0};
  const fs::path folder = folder_of(target_);
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

void AtomicFile::open_as_it_is() {
  target_.clear();
  const auto named = descriptor_named(path_, STDOUT_FILENO);
  descriptor_ =
      named ? ::fcntl(*named, F_DUPFD_CLOEXEC, 0) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (path_ == "-") path_ = "the standard output";
  if (descriptor_ < 0) fail_with_reason(errno);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::commit(std::string_view beginning) {
  if (target_.empty()) {
    if (!beginning.empty()) fail_with_reason(ESPIPE);  // what was written has left
    return close();
  }
  write_beginning(beginning);
  flush();
  close();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_with_reason(errno);
  temporary_.clear();
  // The folder's entry, too: a failure here no longer makes the file less than whole.
  const fs::path folder = folder_of(target_);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

GrowingFile::GrowingFile(const fs::path& path, std::int64_t size) : File(path) {
  descriptor_ = ::open(path_without_links(path).c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0 || ::ftruncate(descriptor_, size) != 0 ||
      ::lseek(descriptor_, size, SEEK_SET) != size) {
    fail_with_reason(errno);
  }
}

void GrowingFile::commit(std::string_view beginning) {
  flush();
  write_beginning(beginning);
  flush();
  close();
}

void require_folder_of(const std::filesystem::path& file) {
  if (file.empty()) return;
  path_without_links(file);
  if (is_written_through(file)) return;
  const fs::path folder = folder_of(file);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    fail(ExitCode::resources, "{}: there is no folder {} to write it into; make it first",
         file.string(), folder.string());
  }
  if (access(folder.c_str(), W_OK) != 0) {
    fail(ExitCode::resources, "{}: nothing can be written into the folder {} ({})", file.string(),
         folder.string(), std::strerror(errno));
  }
}

void write_text(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace spsolve::io
