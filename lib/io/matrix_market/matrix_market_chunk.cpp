#include "io/matrix_market/matrix_market_chunk.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "io/matrix_market/number.hpp"

namespace spsolve::inline io {

namespace {

inline const char* skip_blanks(const char* p) {
  while (*p == ' ' || *p == '\t') ++p;
  return p;
}

inline const char* next_line(const char* p, const char* end) {
  const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found) + 1;
}

/// At a character that is no blank: does nothing but a comment or the line's end follow?
inline bool is_without_data(const char* p, const char* end) {
  return *p == '%' || *p == '\n' || p == end || (*p == '\r' && (p[1] == '\n' || p + 1 == end));
}

/// Moves `p` over blanks and the line's end. False where anything else stands there.
inline bool finish_line(const char*& p, const char* end) {
  if (*p == '\n') [[likely]] {
    ++p;
    return true;
  }
  p = skip_blanks(p);
  if (*p == '\r') ++p;
  if (p == end) return true;
  return *p++ == '\n';
}

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// The first line of [begin, end) that is longer than longest_line, or `end`. Looks at a few
/// characters a line of that length.
const char* first_long_line(const char* begin, const char* end) {
  while (end - begin > static_cast<std::ptrdiff_t>(longest_line)) {
    const void* last = ::memrchr(begin, '\n', longest_line);
    if (last == nullptr) return begin;
    begin = static_cast<const char*>(last) + 1;
  }
  return end;
}

/// Calls parse(p, k) for the data of line after line, `limit` of them at most: it moves p past the
/// line, and hands back whether entry k stood there.
template <typename Parse>
inline ChunkResult parse_lines(const char* p, const char* end, Index limit, const Parse& parse) {
  Index k = 0;
  while (p < end) {
    const char* const line = p;
    p = skip_blanks(p);
    if (!is_digit(*p) && is_without_data(p, end)) [[unlikely]] {
      p = *p == '\n' ? p + 1 : next_line(p, end);
      continue;
    }
    if (k == limit) [[unlikely]]
      return {k, line, true};
    if (!parse(p, k)) [[unlikely]]
      return {k, line, false};
    ++k;
  }
  return {k, nullptr, false};
}

/// The numbers of an entry.
enum class Values { none, real, complex, hermitian };

/// Reads a finite number that follows blanks, and moves `p` past it.
inline bool parse_finite(const char*& p, double& value) {
  const bool follows = is_blank(*p);
  p = skip_blanks(p);
  return follows && parse_real(p, value) && std::isfinite(value);
}

/// Lines "row column [value [imaginary part]]".
template <Values values, bool has_diagonal>
ChunkResult parse_coordinates(const char* begin, const char* end, const MatrixMarketHeader& matrix,
                              EntryTarget target, Index limit) {
  const auto rows = static_cast<std::uint64_t>(matrix.rows);
  const auto columns = static_cast<std::uint64_t>(matrix.columns);
  return parse_lines(begin, end, limit, [&](const char*& p, Index k) {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    double value = 1.0;
    bool good = parse_index(p, row) && is_blank(*p);
    p = skip_blanks(p);
    good = good && parse_index(p, column);
    if constexpr (values != Values::none) good = good && parse_finite(p, value);
    if constexpr (values >= Values::complex) good = good && parse_finite(p, target.imaginary[k]);
    if constexpr (values == Values::hermitian) {
      good = good && (row != column || target.imaginary[k] == 0);
    }
    good = good && finish_line(p, end) && row - 1 < rows && column - 1 < columns;
    if constexpr (!has_diagonal) good = good && row != column;
    if (!good) [[unlikely]]
      return false;
    target.row[k] = static_cast<Index>(row - 1);
    target.column[k] = static_cast<Index>(column - 1);
    target.value[k] = value;
    return true;
  });
}

/// Lines of one value.
template <bool is_complex>
ChunkResult parse_array(const char* begin, const char* end, EntryTarget target, Index limit) {
  double* const values = target.value;
  return parse_lines(begin, end, limit, [&](const char*& p, Index k) {
    bool good = parse_real(p, values[k]) && std::isfinite(values[k]);
    if constexpr (is_complex) good = good && parse_finite(p, target.imaginary[k]);
    return good && finish_line(p, end);
  });
}

ChunkResult parse_short_lines(const char* begin, const char* end, const MatrixMarketHeader& matrix,
                              EntryTarget target, Index limit) {
  if (matrix.format == MatrixMarketFormat::array) {
    return matrix.is_complex() ? parse_array<true>(begin, end, target, limit)
                               : parse_array<false>(begin, end, target, limit);
  }
  const auto parse = [&]<Values values>() {
    return matrix.symmetry == Symmetry::skew_symmetric
               ? parse_coordinates<values, false>(begin, end, matrix, target, limit)
               : parse_coordinates<values, true>(begin, end, matrix, target, limit);
  };
  if (matrix.field == MatrixMarketField::pattern) {
    return parse_coordinates<Values::none, true>(begin, end, matrix, target, limit);
  }
  if (matrix.symmetry == Symmetry::hermitian) {
    return parse_coordinates<Values::hermitian, true>(begin, end, matrix, target, limit);
  }
  return matrix.is_complex() ? parse.template operator()<Values::complex>()
                             : parse.template operator()<Values::real>();
}

/// Throws where `word` is no number that a value may be.
void require_value(std::string_view word, const std::filesystem::path& path, Index number,
                   const std::string& advice) {
  const std::string padded = std::string(word) + std::string(16, '\0');
  const char* p = padded.data();
  double value = 0.0;
  const bool number_read = parse_real(p, value) && p == padded.data() + word.size();
  const std::string_view unsigned_word = word.substr(word.find_first_not_of("+-") == 1 ? 1 : 0);
  const bool named = std::ranges::any_of(
      std::initializer_list<std::string_view>{"nan", "inf", "infinity"}, [&](auto name) {
        return std::ranges::equal(unsigned_word, name, {}, [](char c) { return c | 0x20; });
      });
  if (named || (number_read && !std::isfinite(value))) {
    fail_at(path, number, "a value that double precision can hold",
            fmt::format("{}, which is not a finite number", quoted(word)),
            "correct or scale the value");
  }
  if (!number_read) fail_at(path, number, "a decimal number", quoted(word), advice);
}

/// The fields of a line of the file, in words.
std::string fields_of(const MatrixMarketHeader& matrix) {
  const bool array = matrix.format == MatrixMarketFormat::array;
  switch (matrix.field) {
    case MatrixMarketField::pattern:
      return "2 fields (row, column)";
    case MatrixMarketField::complex:
      return array ? "2 fields (real and imaginary part)"
                   : "4 fields (row, column, real and imaginary part)";
    default:
      return array ? "1 field (value)" : "3 fields (row, column, value)";
  }
}

/// The word after the last one that was read, or the words in its place.
std::string word_or_end(const std::vector<std::string_view>& word, std::size_t i) {
  return i < word.size() ? quoted(word[i]) : "the end of the line";
}

}  // namespace

ChunkResult parse_chunk(const char* begin, const char* end, const MatrixMarketHeader& matrix,
                        EntryTarget target, Index limit) {
  const char* const stop = first_long_line(begin, end);
  const ChunkResult result = parse_short_lines(begin, stop, matrix, target, limit);
  if (result.problem != nullptr || stop == end) return result;
  return {result.found, stop, result.found == limit && count_data_lines({stop, longest_line}) > 0};
}

Index count_lines(std::string_view text) {
  // 64 counters of one byte each, so that the compiler counts in vector registers.
  constexpr std::size_t lanes = 64;
  constexpr std::size_t block = lanes * 255;
  Index lines = text.empty() || text.back() == '\n' ? 0 : 1;
  std::size_t i = 0;
  while (i + lanes <= text.size()) {
    unsigned char counters[lanes] = {};
    const std::size_t stop = std::min(i + block, i + (text.size() - i) / lanes * lanes);
    for (; i < stop; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        counters[lane] = static_cast<unsigned char>(counters[lane] + (text[i + lane] == '\n'));
      }
    }
    for (const unsigned char counter : counters) lines += counter;
  }
  return lines + std::count(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), '\n');
}

std::size_t chunk_end(std::string_view body, std::size_t begin, std::size_t size) {
  if (body.size() - begin <= size) return body.size();
  const std::size_t last = begin + size - 1;  // that it should have, at least
  const std::size_t end = body.substr(last, longest_line).find('\n');
  if (end != body.npos) return last + end + 1;
  if (body.size() - last <= longest_line) return body.size();
  return begin + body.substr(begin, last - begin).rfind('\n') + 1;
}

Index count_data_lines(std::string_view text) {
  Index lines = 0;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end; p = next_line(p, end)) {
    p = skip_blanks(p);
    if (!is_without_data(p, end)) ++lines;
  }
  return lines;
}

WrongLine wrong_line(std::string_view text, const char* problem, bool surplus) {
  const auto offset = static_cast<std::size_t>(problem - text.data());
  WrongLine wrong;
  wrong.text = text.substr(offset, longest_line + 1);
  wrong.number = count_lines(text.substr(0, offset)) + 1;
  if (!surplus) return wrong;
  wrong.surplus = count_data_lines(text.substr(offset, most_blank_text));
  wrong.more_follow = text.size() - offset > most_blank_text;
  return wrong;
}

void fail_line(const WrongLine& wrong, const std::filesystem::path& path,
               const ParsedHeader& header) {
  const MatrixMarketHeader& matrix = header.matrix;
  const Index number = wrong.number;
  const std::string_view line = line_at(wrong.text, 0);
  const bool array = matrix.format == MatrixMarketFormat::array;
  if (wrong.surplus > 0) {
    fail_at(path, number,
            fmt::format("the end of the file after the {} entries that line {} {}", matrix.entries,
                        header.size_line, array ? "implies" : "declares"),
            fmt::format("{} ({}{} entries in all)", quoted(line),
                        wrong.more_follow ? "more than " : "", matrix.entries + wrong.surplus),
            "correct the size line or remove the surplus lines");
  }
  require_line(path, number, wrong.text);
  if (has_bare_return(line)) fail_bare_return(path, number, line);
  // A copy that was broken off ends within a line.
  const bool file_ends_here = wrong.text.find('\n') == wrong.text.npos;
  const auto or_copy_again = [&](std::string_view what) {
    return fmt::format(
        "{}{}", file_ends_here ? "the file ends in this line: copy it again, or " : "", what);
  };
  const auto word = words(line, 16);
  std::size_t i = 0;
  std::uint64_t index[2] = {};
  if (!array) {
    for (; i < 2; ++i) {
      if (i == word.size())
        fail_at(path, number, fields_of(matrix), quoted(line), or_copy_again("complete the line"));
      const Index size = i == 0 ? matrix.rows : matrix.columns;
      const std::string padded = std::string(word[i]) + std::string(16, '\0');
      const char* p = padded.data();
      if (!parse_index(p, index[i]) || p != padded.data() + word[i].size() ||
          index[i] - 1 >= static_cast<std::uint64_t>(size)) {
        fail_at(path, number,
                fmt::format("a {} index from 1 to {}", i == 0 ? "row" : "column", size),
                quoted(word[i]),
                word[i] == "0" ? "indices count from 1" : "correct the line or the size line");
      }
    }
    if (matrix.symmetry == Symmetry::skew_symmetric && index[0] == index[1]) {
      fail_at(path, number, "no entry on the diagonal of a skew-symmetric matrix", quoted(line),
              "remove the line, or mark the matrix as general and store both triangles");
    }
  }
  const std::size_t values = matrix.field == MatrixMarketField::pattern ? 0
                             : matrix.is_complex()                      ? 2
                                                                        : 1;
  for (const std::size_t end = i + values; i < end; ++i) {
    if (i == word.size()) {
      fail_at(path, number, fields_of(matrix), quoted(line), or_copy_again("complete the line"));
    }
    require_value(word[i], path, number, or_copy_again("correct the value"));
  }
  if (matrix.symmetry == Symmetry::hermitian && !array && index[0] == index[1] &&
      i == word.size()) {
    fail_at(path, number, "a real number on the diagonal of a hermitian matrix", quoted(line),
            "correct the imaginary part, or mark the matrix as general and store both triangles");
  }
  fail_at(path, number, "the end of the line", word_or_end(word, i),
          "a line of this file has " + fields_of(matrix));
}

}  // namespace spsolve::io
