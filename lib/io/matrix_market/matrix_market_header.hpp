#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "io/matrix_market/matrix_market.hpp"

// Declarations that the parts of the Matrix Market reader share; not for others.

namespace spsolve::inline io {

/// Most characters of a line, with its end, that are read: a thousand times the standard's.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// The header and where it ends.
struct ParsedHeader {
  MatrixMarketHeader matrix;
  Index size_line = 0;   ///< its line, 1-based
  std::size_t body = 0;  ///< offset of the first character after the size line
};

/// Parses banner, comments and size line. Empty when `text` is only the front of a file and the
/// size line is not wholly in it. Looks at no more than most_blank_text bytes. Throws
/// Error(input) with the line.
std::optional<ParsedHeader> parse_header(std::string_view text, const std::filesystem::path& path,
                                         bool whole_file);

/// Throws Error(input): "PATH:LINE: expected `expected`, found `found`; `advice`".
[[noreturn]] void fail_at(const std::filesystem::path& path, Index line, std::string_view expected,
                          std::string_view found, std::string_view advice);

/// `text` in quotes, at most 40 characters of it, each printable; or words that stand for an empty
/// one.
std::string quoted(std::string_view text);

/// The words of a line between spaces and tabs, at most `most`.
std::vector<std::string_view> words(std::string_view line,
                                    std::size_t most = static_cast<std::size_t>(-1));

/// The line of `text` at `begin`, without its LF or CR LF; of one that is too long the front.
std::string_view line_at(std::string_view text, std::size_t begin);

/// Throws Error(input) where the line at the front of `rest`, which the file ends with, is longer
/// than longest_line.
void require_line(const std::filesystem::path& path, Index line, std::string_view rest);

/// Whether `line` holds a CR, which line_at() leaves only where it ends no line.
inline bool has_bare_return(std::string_view line) {
  return line.find('\r') != std::string_view::npos;
}

/// Throws for a line with has_bare_return().
[[noreturn]] void fail_bare_return(const std::filesystem::path& path, Index line,
                                   std::string_view text);

}  // namespace spsolve::io
