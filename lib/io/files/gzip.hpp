#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "io/files/mapped_file.hpp"

namespace spsolve::io {

/// Whether `bytes` begin like a gzip file. What counts is the content, never the file's name.
bool is_gzip(std::string_view bytes);

/// The text of a gzip file of one or more members, RFC 1952.
/// Inflates at most `stop_after` bytes when only the front of the file is wanted.
/// Errors (input), each naming `path`: truncated or corrupt data, a check sum that differs, bytes
/// behind the last member that are neither a member nor zeros. Error (resources): more than
/// `limit` bytes of text.
MappedFile inflate_gzip(std::string_view compressed, const std::filesystem::path& path,
                        std::size_t limit,
                        std::size_t stop_after = std::numeric_limits<std::size_t>::max());

/// `text` as one gzip member, deflated at the fastest level. Members written one after another are
/// one gzip file.
std::string deflate_gzip(std::string_view text);

}  // namespace spsolve::io
