#include "io/files/scratch_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/error.hpp"
#include "process/fault.hpp"

namespace spsolve::inline io {

namespace {

/// Opens a file of a folder that has no name, or has it no more; -1 where there is none.
int open_nameless(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || errno == ENOENT || errno == EACCES) return descriptor;
#endif
  std::string name = (folder / "spsolve-factors-XXXXXX").string();
  const int named = mkstemp(name.data());
  if (named >= 0) unlink(name.c_str());
  return named;
}

constexpr std::int64_t most_at_once = std::int64_t{1} << 30;

}  // namespace

ScratchFile::ScratchFile(std::filesystem::path folder, std::int64_t bytes, const char* key)
    : folder_(std::move(folder)), key_(key), descriptor_(open_nameless(folder_)) {
  if (descriptor_ < 0) fail_with_reason("no file can be made there", errno);
  const int reason = bytes > 0 ? posix_fallocate(descriptor_, 0, bytes) : 0;
  if (reason == 0) return;
  close(descriptor_);
  fail(ExitCode::resources,
       "{}: has no room for {:.3g} GB ({}); free some, or name another folder in {}",
       folder_.string(), static_cast<double>(bytes) * 1e-9, std::strerror(reason), key_);
}

ScratchFile::~ScratchFile() {
  close(descriptor_);
}

void ScratchFile::fail_with_reason(const char* what, int reason) const {
  fail(ExitCode::resources, "{}: {} ({}); name another folder in {}", folder_.string(), what,
       reason == 0 ? "it ends too early" : std::strerror(reason), key_);
}

void ScratchFile::write(std::int64_t at, const void* data, std::int64_t bytes) const {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = pwrite(descriptor_, next, std::min(bytes, most_at_once), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail_with_reason("its file cannot be written", errno);
    next += done;
    at += done;
    bytes -= done;
  }
}

void ScratchFile::read(std::int64_t at, void* data, std::int64_t bytes) const {
  if (injected_read_error()) fail_with_reason("its file cannot be read", EIO);
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = pread(descriptor_, next, std::min(bytes, most_at_once), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail_with_reason("its file cannot be read", done < 0 ? errno : 0);
    next += done;
    at += done;
    bytes -= done;
  }
}

void ScratchFile::read_ahead(std::int64_t at, std::int64_t bytes) const {
  posix_fadvise(descriptor_, at, bytes, POSIX_FADV_WILLNEED);  // advice only
}

std::int64_t free_bytes_of_folder(const std::filesystem::path& folder) {
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) != 0) return 0;
  const auto free =
      static_cast<std::int64_t>(system.f_bavail) * static_cast<std::int64_t>(system.f_frsize);
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return free;
  return std::min(free, static_cast<std::int64_t>(std::min<rlim_t>(
                            limit.rlim_cur, std::numeric_limits<std::int64_t>::max())));
}

}  // namespace spsolve::io
