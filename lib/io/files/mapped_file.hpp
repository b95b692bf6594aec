#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace spsolve::inline io {

/// A run of bytes in memory that is a file, mapped read-only, or an anonymous buffer that grows.
/// At least 64 zero bytes may be read after the last one, so that a parser needs no test of its
/// end. A file must not shrink while it is mapped.
class MappedFile {
 public:
  static constexpr std::size_t padding = 4096;

  /// The file of a name that may have a variable of it behind a colon, as "a.mat:A".
  static std::filesystem::path file_of(const std::filesystem::path& name);

  /// Maps the regular file file_of(`path`), or the data that come from "-" and from a pipe, whole
  /// and as often as asked (io/special_file.hpp). Errors (input): missing, unreadable, a folder,
  /// not a regular file, empty; in their words it should be `wanted`.
  static MappedFile open(const std::filesystem::path& path,
                         std::string_view wanted = "a Matrix Market file");

  /// An empty buffer that takes `capacity` bytes. Error (resources) when memory is short.
  static MappedFile buffer(std::size_t capacity);

  /// A buffer that holds a copy of `text`.
  static MappedFile copy(std::string_view text);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view text() const { return {data_, size_}; }

  /// The system should fetch the whole file: it will be read from front to back.
  void will_read_all() const;

  /// For buffers: where to write, how much fits, and how much of it is text. grow() keeps the text.
  char* data() { return data_; }
  std::size_t capacity() const { return mapped_ - padding; }
  void grow(std::size_t capacity);
  void set_size(std::size_t size) { size_ = size; }

 private:
  MappedFile(char* data, std::size_t size, std::size_t mapped)
      : data_(data), size_(size), mapped_(mapped) {}

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;
};

}  // namespace spsolve::io
