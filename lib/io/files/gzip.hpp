#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/files/inflater.hpp"

namespace spsolve::inline io {

/// Whether `bytes` begin like a gzip file. The content counts, never the file's name.
bool is_gzip(std::string_view bytes);

/// The text of a gzip file of one or more members, RFC 1952, from front to back; nothing of it is
/// held.
class GzipStream {
 public:
  /// `path` stands in its errors.
  GzipStream(std::string_view compressed, std::filesystem::path path);

  /// Puts the next `room` bytes at `to`, and hands back how many those are: fewer at the end only.
  /// Errors (input): truncated or corrupt data, a check sum that differs, bytes after the last
  /// member that are neither a member nor some zeros.
  std::size_t read(char* to, std::size_t room);

  /// Goes back to the front.
  void rewind();

 private:
  void begin_next_member();

  std::string_view compressed_, rest_;
  std::filesystem::path path_;
  Inflater inflater_;
  bool ended_ = false;
};

/// `text` as one gzip member, deflated at the fastest level. Members written one after another are
/// one gzip file.
std::string deflate_gzip(std::string_view text);

}  // namespace spsolve::io
