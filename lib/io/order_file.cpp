#include "io/order_file.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrix_market/entry_reader.hpp"

namespace spsolve::inline io {

namespace {

using io::fail_at;
using io::quoted;

constexpr std::string_view other_matrix = "name the file with the order of this matrix";

/// Throws Error(input) unless a Matrix Market file has one column of integers, one for each row.
void check_header(const std::filesystem::path& path, std::string_view banner,
                  const io::ParsedHeader& header, Index rows) {
  const MatrixMarketHeader& matrix = header.matrix;
  if (matrix.format != MatrixMarketFormat::array || matrix.field != MatrixMarketField::integer ||
      matrix.symmetry != Symmetry::general) {
    fail_at(path, 1, "'%%MatrixMarket matrix array integer general'", quoted(banner),
            "an order of elimination is one column of integers");
  }
  if (matrix.rows != rows || matrix.columns != 1) {
    fail_at(path, header.size_line, fmt::format("the size line '{} 1'", rows),
            fmt::format("'{} {}'", matrix.rows, matrix.columns), other_matrix);
  }
}

/// The number of a row, from 1, that is all there is on a line.
Index row_on(std::string_view line, std::string_view word, const std::filesystem::path& path,
             Index number, Index rows) {
  Index row = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), row);
  const bool whole = end == line.data() + line.find_last_not_of(" \t") + 1;
  const bool huge = problem == std::errc::result_out_of_range;
  if (whole && problem == std::errc() && row >= 1 && row <= rows) return row;
  if (io::has_bare_return(line)) io::fail_bare_return(path, number, line);
  std::string_view advice = "write one number a line, in the order of elimination";
  if (whole && (huge || problem == std::errc())) {
    const bool below = word.starts_with('-') || (!huge && row == 0);
    advice = below ? "rows are numbered from 1" : other_matrix;
  }
  fail_at(path, number, fmt::format("the number of a row, from 1 to {}", rows), quoted(line),
          advice);
}

/// Throws Error(input) where a file of so many bytes, up to line `number`, has more text than an
/// order of so many rows may have.
void require_few_blanks(const std::filesystem::path& path, Index number, std::size_t bytes,
                        Index rows) {
  constexpr std::size_t longest = 1024;  // of a line
  if (bytes <= most_blank_text + longest * static_cast<std::size_t>(rows)) return;
  fail_at(path, number,
          fmt::format("no more than {} MiB of comments and blank lines", most_blank_text >> 20),
          "more", "remove them");
}

}  // namespace

std::vector<LocalIndex> read_order(const std::filesystem::path& path, Index rows,
                                   const Deadline& deadline) {
  io::TextStream stream(io::MappedFile::open(path, "an order of elimination"), path);
  std::string_view text = stream.next();
  std::size_t begin = 0;
  Index number = 0;  // of the line
  if (text.starts_with("%%MatrixMarket")) {
    const std::string banner(io::line_at(text, 0));
    stream.rewind();
    const io::ParsedHeader header = io::read_front(stream);
    check_header(path, banner, header, rows);
    text = stream.piece();
    begin = header.body;
    number = header.size_line;
  }
  std::vector<LocalIndex> order;
  std::vector<Index> line_of(static_cast<std::size_t>(rows), 0);
  order.reserve(static_cast<std::size_t>(rows));
  constexpr Index lines_a_look = 4096;  // at the clock
  for (; !text.empty(); text = stream.next(), begin = 0) {
    while (begin < text.size()) {
      ++number;
      if (number % lines_a_look == 0 && deadline.is_over()) return order;
      io::require_line(path, number, text.substr(begin));
      const std::string_view line = io::line_at(text, begin);
      begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
      const auto word = io::words(line, 1);
      if (word.empty() || word[0].starts_with('%')) {
        require_few_blanks(path, number, stream.bytes_before() + begin, rows);
        continue;
      }
      const Index row = row_on(line, word[0], path, number, rows);
      if (static_cast<Index>(order.size()) == rows) {
        fail_at(path, number, fmt::format("the end of the file after {} rows", rows), quoted(line),
                other_matrix);
      }
      Index& before = line_of[row - 1];
      if (before != 0) {
        fail_at(path, number, "a row that no line before it names",
                fmt::format("row {}, which line {} names", row, before), "name each row once");
      }
      before = number;
      order.push_back(static_cast<LocalIndex>(row - 1));
    }
  }
  if (static_cast<Index>(order.size()) < rows) {
    const Index missing = std::ranges::find(line_of, 0) - line_of.begin() + 1;
    fail_at(path, number, fmt::format("{} rows", rows),
            fmt::format("the end of the file after {}", order.size()),
            fmt::format("row {} is missing: name each row once", missing));
  }
  return order;
}

std::vector<LocalIndex> checked_order(std::span<const Index> given, Index rows) {
  if (std::ssize(given) != rows) {
    fail(ExitCode::input, "SolverOptions::order names {} unknowns, and the matrix has {}",
         given.size(), rows);
  }
  std::vector<bool> seen(given.size(), false);
  std::vector<LocalIndex> order;
  for (const Index row : given) {
    if (row < 0 || row >= rows || seen[row]) {
      fail(ExitCode::input,
           "SolverOptions::order names {} {}; it has each number from 0 to {} once", row,
           row < 0 || row >= rows ? "as an unknown" : "twice", rows - 1);
    }
    seen[row] = true;
    order.push_back(static_cast<LocalIndex>(row));
  }
  return order;
}

}  // namespace spsolve::io
