#include "io/files/mapped_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/names/did_you_mean.hpp"
#include "io/files/special_file.hpp"

namespace spsolve::inline io {

namespace {

/// `bytes` and the padding after them, in whole pages.
std::size_t mapping_size(std::size_t bytes) {
  constexpr std::size_t page = MappedFile::padding;
  return (bytes + page - 1) / page * page + page;
}

char* map_anonymous(std::size_t size) {
  void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    fail(ExitCode::resources,
         "cannot get {} MiB of memory for a file's text ({}); use a larger machine", size >> 20,
         std::strerror(errno));
  }
  return static_cast<char*>(address);
}

void read_all(int descriptor, char* to, std::size_t size, const std::string& name) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::pread(descriptor, to + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      fail(ExitCode::input, "{}: cannot be read ({}); copy the file again", name,
           got == 0 ? "it became shorter" : std::strerror(errno));
    }
    done += static_cast<std::size_t>(got);
  }
}

/// The file in the folder of `path` that is named most like it, or "" where none is.
std::string name_like(const std::filesystem::path& path) {
  constexpr std::size_t most_names = 1000;  // who has more of them knows them by pattern
  std::vector<std::string> names;
  std::error_code none;
  const std::filesystem::path folder = path.parent_path();
  for (std::filesystem::directory_iterator file(folder.empty() ? "." : folder, none), end;
       !none && file != end && names.size() < most_names; file.increment(none)) {
    if (file->is_regular_file(none)) names.push_back(file->path().filename());
  }
  std::ranges::sort(names);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string near = closest(path.filename().string(), candidates);
  return near.empty() ? "" : (folder / near).string();
}

}  // namespace

std::filesystem::path MappedFile::file_of(const std::filesystem::path& name) {
  constexpr std::string_view ending = ".mat";
  const std::string text = name.string();
  const std::size_t at = text.rfind(".mat:");
  std::error_code none;
  if (at == std::string::npos || std::filesystem::exists(name, none)) return name;
  return text.substr(0, at + ending.size());
}

MappedFile MappedFile::open(const std::filesystem::path& named, std::string_view wanted) {
  const std::filesystem::path path = file_of(named);
  const std::string name = path == "-" ? "the standard input" : path.string();
  const auto kept = descriptor_to_read(path);
  const Descriptor file{kept ? ::fcntl(*kept, F_DUPFD_CLOEXEC, 0)
                             : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    const int why = errno;
    const std::string near = why == ENOENT ? name_like(path) : "";
    fail(ExitCode::input, "{}: cannot be opened ({}); {}", name, std::strerror(why),
         near.empty() ? "check its name and its permissions"
                      : fmt::format("did you mean '{}'?", near));
  }
  if (S_ISDIR(status.st_mode)) {
    fail(ExitCode::input, "{}: is a folder; name {} in it", name, wanted);
  }
  if (!S_ISREG(status.st_mode)) {
    fail(ExitCode::input, "{}: is not a regular file; copy its text into one", name);
  }
  if (status.st_size == 0) {
    fail(ExitCode::input, "{}: is empty, and should be {}; check its name", name, wanted);
  }
  // An anonymous mapping with the file laid over its front: bytes after the file stay zero.
  const auto size = static_cast<std::size_t>(status.st_size);
  MappedFile result = buffer(size);
  result.size_ = size;
  if (::mmap(result.data_, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.number(), 0) ==
      MAP_FAILED) {
    result = buffer(size);  // a file system without mappings
    result.size_ = size;
    read_all(file.number(), result.data_, size, name);
  }
  return result;
}

MappedFile MappedFile::buffer(std::size_t capacity) {
  const std::size_t mapped = mapping_size(capacity);
  return {map_anonymous(mapped), 0, mapped};
}

MappedFile MappedFile::copy(std::string_view text) {
  MappedFile result = buffer(text.size());
  std::copy(text.begin(), text.end(), result.data_);
  result.size_ = text.size();
  return result;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, mapped_);
}

void MappedFile::will_read_all() const {
  ::madvise(data_, mapped_ - padding, MADV_SEQUENTIAL);
  ::madvise(data_, mapped_ - padding, MADV_WILLNEED);
}

void MappedFile::grow(std::size_t capacity) {
  const std::size_t mapped = mapping_size(capacity);
  if (mapped <= mapped_) return;
  void* address = ::mremap(data_, mapped_, mapped, MREMAP_MAYMOVE);
  if (address == MAP_FAILED) {
    fail(ExitCode::resources,
         "cannot get {} MiB of memory for a file's text ({}); use a larger machine", mapped >> 20,
         std::strerror(errno));
  }
  data_ = static_cast<char*>(address);
  mapped_ = mapped;
}

}  // namespace spsolve::io
