#pragma once

#include <filesystem>
#include <string_view>

#include "core/types.hpp"
#include "io/matrix_market/matrix_market_header.hpp"

// The body of a Matrix Market file, piece by piece; not for others.

namespace spsolve::inline io {

/// Where the entries of a piece go. For array files only `value` is written, and of complex numbers
/// `imaginary`.
struct EntryTarget {
  Index* row;
  Index* column;
  double* value;
  double* imaginary;
};

struct ChunkResult {
  Index found = 0;                ///< entries written
  const char* problem = nullptr;  ///< begin of the first line that is wrong, if any
  bool surplus = false;           ///< the line is wrong only because it is one too many
};

/// Parses the whole lines [begin, end) into `target` until one is wrong or `limit` entries are
/// written and another follows. The text must be padded, and end with LF unless the file ends.
/// Throws nothing. Cost: one pass, about 2 ns per byte of a file of reals.
ChunkResult parse_chunk(const char* begin, const char* end, const MatrixMarketHeader& matrix,
                        EntryTarget target, Index limit);

/// Lines in `text`, the last one with or without LF. Cost: a tenth of parsing.
Index count_lines(std::string_view text);

/// Lines in `text` that are neither blank nor comments.
Index count_data_lines(std::string_view text);

/// Where the line ends, after its LF or at the end of `body`, in which `size` bytes after `begin`
/// are reached. Before that line where it is longer than longest_line: at `begin` where it is the
/// first.
std::size_t chunk_end(std::string_view body, std::size_t begin, std::size_t size);

/// A line that is wrong.
struct WrongLine {
  std::string_view text;     ///< of the file from there on, one line at least if it is that
                             ///< long
  Index number = 0;          ///< 1-based
  Index surplus = 0;         ///< entries from there on, where it is wrong as it is one too many
  bool more_follow = false;  ///< that were not counted
};

/// The line at `problem`, of a text that begins with the file's first line.
WrongLine wrong_line(std::string_view text, const char* problem, bool surplus);

/// Throws the Error(input) that says what is wrong with a line. Reads it again, without hurry.
[[noreturn]] void fail_line(const WrongLine& wrong, const std::filesystem::path& path,
                            const ParsedHeader& header);

}  // namespace spsolve::io
