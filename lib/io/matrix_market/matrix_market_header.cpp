#include "io/matrix_market/matrix_market_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "core/error.hpp"

namespace spsolve::inline io {

namespace {

constexpr std::string_view banner_start = "%%MatrixMarket";
constexpr std::string_view example = "'%%MatrixMarket matrix coordinate real general'";

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Whether the third line is "type count count ...", as in Harwell-Boeing and Rutherford-Boeing.
bool looks_like_harwell_boeing(std::string_view text) {
  std::size_t begin = 0;
  for (int skipped = 0; skipped < 2; ++skipped) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return false;
    begin = end + 1;
  }
  const auto third = words(line_at(text, begin), 4);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return third.size() == 4 && third[0].size() == 3 && std::ranges::all_of(third[0], letter) &&
         std::ranges::all_of(third[1], digit) && std::ranges::all_of(third[2], digit);
}

/// The advice on a file that does not begin with a banner.
std::string advice_without_banner(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> magic{{
      {"BZh", "it is compressed with bzip2: unpack it first"},
      {"\xFD"
       "7zXZ",
       "it is compressed with xz: unpack it first"},
      {"\x28\xB5\x2F\xFD", "it is compressed with zstd: unpack it first"},
      {"PK\x03\x04", "it is a zip archive: unpack it first"},
      {"MATLAB 5.0", "it is a MATLAB file: write the matrix with mmwrite"},
      {"\x89HDF", "it is an HDF5 file: convert it first"},
      {"\x1f\x8b", "it is a gzip file within a gzip file: unpack it once"},
  }};
  for (const auto& [start, advice] : magic) {
    if (text.starts_with(start)) return std::string(advice);
  }
  if (text.size() > 262 && text.substr(257, 5) == "ustar") {
    return "it is a tar archive: unpack it with tar and name the matrix file in it";
  }
  if (looks_like_harwell_boeing(text)) {
    return "it looks like a Harwell-Boeing or Rutherford-Boeing file, which is not supported: "
           "convert it to Matrix Market";
  }
  const auto first = words(line_at(text, 0), 1);
  if (!first.empty() && first[0].find_first_not_of("0123456789") == std::string_view::npos) {
    return fmt::format("if the file is a Matrix Market file without its banner, put {} in front",
                       example);
  }
  return fmt::format("a banner such as {} must be the first line", example);
}

/// Reads the words of the banner into `matrix`; `line` is line 1.
void parse_banner(std::string_view text, const std::filesystem::path& path,
                  MatrixMarketHeader& matrix) {
  const std::string_view line = line_at(text, 0);
  const auto word = words(line.substr(0, 1024));
  if (word.empty() || lower(word[0]) != lower(banner_start)) {
    constexpr std::size_t some = 1 << 16;
    fail_at(path, 1, "'%%MatrixMarket matrix ...'", quoted(line),
            advice_without_banner(text.substr(0, some)));
  }
  require_line(path, 1, text);
  if (has_bare_return(line)) fail_bare_return(path, 1, line);
  if (word.size() != 5) {
    fail_at(path, 1, "five words: '%%MatrixMarket', object, format, field and symmetry",
            quoted(line), fmt::format("write a banner such as {}", example));
  }
  if (const std::string object = lower(word[1]); object != "matrix") {
    fail_at(path, 1, "the object 'matrix'", quoted(word[1]),
            object == "vector" ? "vectors are not supported: write one as a matrix of one column"
                               : "only matrices are supported");
  }
  const std::string format = lower(word[2]);
  if (format != "coordinate" && format != "array") {
    fail_at(path, 1, "the format 'coordinate' or 'array'", quoted(word[2]), "correct the banner");
  }
  const bool array = format == "array";
  matrix.format = array ? MatrixMarketFormat::array : MatrixMarketFormat::coordinate;
  const std::string field = lower(word[3]);
  const std::string symmetry = lower(word[4]);
  if (field == "real" || field == "double") {
    matrix.field = MatrixMarketField::real;
  } else if (field == "integer" || field == "unsigned-integer") {
    matrix.field = MatrixMarketField::integer;
  } else if (field == "pattern") {
    matrix.field = MatrixMarketField::pattern;
  } else if (field == "complex") {
    matrix.field = MatrixMarketField::complex;
  } else {
    fail_at(path, 1, "the field real, integer, complex or pattern", quoted(word[3]),
            "correct the banner");
  }
  if (array && matrix.field == MatrixMarketField::pattern) {
    fail_at(path, 1, "the field real, integer or complex in an array file", quoted(word[3]),
            "a pattern needs the format 'coordinate'");
  }
  if (symmetry == "general") {
    matrix.symmetry = Symmetry::general;
  } else if (symmetry == "symmetric") {
    matrix.symmetry = Symmetry::symmetric;
  } else if (symmetry == "skew-symmetric") {
    matrix.symmetry = Symmetry::skew_symmetric;
  } else if (symmetry == "hermitian" && matrix.is_complex()) {
    matrix.symmetry = Symmetry::hermitian;
  } else {
    fail_at(path, 1, "the symmetry general, symmetric or skew-symmetric", quoted(word[4]),
            symmetry == "hermitian"
                ? "hermitian matrices are complex: write a real one as symmetric"
                : "correct the banner");
  }
  if (matrix.symmetry == Symmetry::skew_symmetric && matrix.field == MatrixMarketField::pattern) {
    fail_at(path, 1, "the symmetry general or symmetric for a pattern", quoted(word[4]),
            "a pattern has no signs: give the values, or mark it as symmetric");
  }
}

/// n (n + 1) / 2 and the like, without overflow on the way; -1 where it does not fit.
Index array_entries(const MatrixMarketHeader& matrix) {
  Index rows = matrix.rows;
  Index columns = matrix.columns;
  if (matrix.symmetry != Symmetry::general) {
    if (columns == 0) return 0;
    rows = matrix.symmetry == Symmetry::skew_symmetric ? rows - 1 : rows;
    if (rows == std::numeric_limits<Index>::max()) return -1;
    columns = rows + 1;
    (rows % 2 == 0 ? rows : columns) /= 2;
  }
  Index product = 0;
  return __builtin_mul_overflow(rows, columns, &product) ? -1 : product;
}

void parse_size_line(std::string_view line, const std::filesystem::path& path, Index number,
                     MatrixMarketHeader& matrix) {
  if (has_bare_return(line)) fail_bare_return(path, number, line);
  const bool array = matrix.format == MatrixMarketFormat::array;
  const std::string_view expected = array ? "a size line of 2 numbers (rows, columns)"
                                          : "a size line of 3 numbers (rows, columns, entries)";
  const auto word = words(line, 8);
  if (word.size() != (array ? 2U : 3U)) {
    fail_at(path, number, expected, quoted(line),
            array ? "an array file does not name its number of entries" : "correct the size line");
  }
  std::array<Index*, 3> targets{&matrix.rows, &matrix.columns, &matrix.entries};
  for (std::size_t i = 0; i < word.size(); ++i) {
    std::string_view digits = word[i];
    if (digits.size() > 1 && digits[0] == '+') digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), *targets[i]);
    if (error == std::errc::result_out_of_range && *digits.data() != '-') {
      fail_at(path, number, "sizes below 2^63", quoted(word[i]), "correct the size line");
    }
    if (error != std::errc() || end != digits.data() + digits.size() || *targets[i] < 0) {
      fail_at(path, number, fmt::format("{}, none negative", expected), quoted(word[i]),
              "correct the size line");
    }
  }
  if (matrix.symmetry != Symmetry::general && matrix.rows != matrix.columns) {
    fail_at(path, number,
            fmt::format("a square matrix, as the banner says {}", name(matrix.symmetry)),
            quoted(line), "correct the size line, or the banner to 'general'");
  }
  if (array) {
    matrix.entries = array_entries(matrix);
    if (matrix.entries < 0) {
      fail_at(path, number, "rows * columns below 2^63", quoted(line), "correct the size line");
    }
  }
}

}  // namespace

std::optional<ParsedHeader> parse_header(std::string_view text, const std::filesystem::path& path,
                                         bool whole_file) {
  ParsedHeader header;
  if (text.starts_with("\xEF\xBB\xBF")) {  // a byte-order mark, as some editors put it
    text.remove_prefix(3);
    header.body = 3;
  }
  if (!whole_file && text.size() <= longest_line && text.find('\n') == text.npos) {
    return std::nullopt;
  }
  parse_banner(text, path, header.matrix);
  const bool goes_on = text.size() > most_blank_text;
  text = text.substr(0, most_blank_text);
  if (!whole_file || goes_on) text = text.substr(0, text.rfind('\n') + 1);
  Index number = 1;
  std::size_t end = std::min(text.find('\n'), text.size());
  while (end + 1 < text.size()) {
    const std::size_t begin = end + 1;
    end = std::min(text.find('\n', begin), text.size());
    ++number;
    if (end - begin >= longest_line) require_line(path, number, text.substr(begin));
    if (text[begin] == '%' || end == begin) continue;
    const std::string_view line = line_at(text, begin);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == line.npos || line[first] == '%') continue;
    parse_size_line(line, path, number, header.matrix);
    header.size_line = number;
    header.body += std::min(end, text.size() - 1) + 1;
    return header;
  }
  if (goes_on) {
    fail_at(path, number, "a size line of rows, columns and, in a coordinate file, entries",
            fmt::format("{} MiB of comments and blank lines", most_blank_text >> 20),
            "remove them, or put the size line in front of them");
  }
  if (!whole_file) return std::nullopt;
  fail_at(path, number, "a size line of rows, columns and, in a coordinate file, entries",
          "the end of the file", "the file is cut off behind its banner");
}

void fail_at(const std::filesystem::path& path, Index line, std::string_view expected,
             std::string_view found, std::string_view advice) {
  fail(ExitCode::input, "{}:{}: expected {}, found {}; {}", path.string(), line, expected, found,
       advice);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return "an empty line";
  std::string result = "'";
  for (const char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > longest ? "...'" : "'");
}

std::vector<std::string_view> words(std::string_view line, std::size_t most) {
  std::vector<std::string_view> result;
  for (std::size_t begin = 0; result.size() < most;) {
    begin = line.find_first_not_of(" \t", begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    result.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  std::string_view line = text.substr(begin, longest_line);
  line = line.substr(0, line.find('\n'));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

void require_line(const std::filesystem::path& path, Index line, std::string_view rest) {
  const std::string_view most = rest.substr(0, longest_line);
  if (rest.size() <= longest_line || most.find('\n') != most.npos) return;
  fail_at(path, line, fmt::format("a line of at most {} characters", longest_line),
          fmt::format("{} and more", quoted(most)),
          "break the line, or name a file of text: a line of Matrix Market has at most 1024");
}

void fail_bare_return(const std::filesystem::path& path, Index line, std::string_view text) {
  fail_at(path, line, "lines that end in LF or CR LF", quoted(text),
          "a CR alone, the line end of the classic Mac, is not supported: convert the line ends");
}

}  // namespace spsolve::io
