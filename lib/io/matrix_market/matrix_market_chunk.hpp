#pragma once

#include <filesystem>
#include <string_view>

#include "core/types.hpp"
#include "io/matrix_market/matrix_market_header.hpp"

// The body of a Matrix Market file, piece by piece; not for others.

namespace spsolve::io {

/// Where the entries of a piece go. For array files only `value` is written.
struct EntryTarget {
  Index* row;
  Index* column;
  double* value;
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

/// Throws the Error(input) that says what is wrong with the line at `problem`, with its number.
/// Reads the line again, without hurry.
[[noreturn]] void fail_line(std::string_view text, const std::filesystem::path& path,
                            const ParsedHeader& header, const char* problem, bool surplus);

}  // namespace spsolve::io
