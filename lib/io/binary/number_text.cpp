#include "io/binary/number_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "io/matrix_market/matrix_market_header.hpp"
#include "io/matrix_market/number.hpp"

namespace spsolve::inline io {

namespace {

bool parts_numbers(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

/// Calls visit(line, number) for every line that is neither blank nor a comment, until it is false.
template <typename Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  Index number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    while (!line.empty() && parts_numbers(line.front())) line.remove_prefix(1);
    while (!line.empty() && parts_numbers(line.back())) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (!visit(line, number)) return;
  }
}

/// Appends the numbers of a line; throws where one is none.
void read_line(std::string_view line, Index number, const std::string& name,
               std::vector<double>& values) {
  const char* p = line.data();
  const char* const end = p + line.size();
  while (p < end) {
    const char* const word = p;
    double value = 0;
    if (!parse_real(p, value) || (p < end && !parts_numbers(*p))) {
      const char* const after = std::find_if(word, end, parts_numbers);
      fail_at(name, number, "a number", quoted({word, after}),
              "numbers are parted by blanks, commas or semicolons, and comments begin with #");
    }
    values.push_back(value);
    while (p < end && parts_numbers(*p)) ++p;
  }
}

}  // namespace

bool is_number_text(std::string_view text) {
  bool is_one = false;
  for_each_line(text, [&](std::string_view line, Index) {
    double value = 0;
    const char* p = line.data();
    is_one = parse_real(p, value) && (p >= line.data() + line.size() || parts_numbers(*p));
    return false;
  });
  return is_one;
}

NumberText read_number_text(std::string_view text, const std::string& name) {
  NumberText array;
  for_each_line(text, [&](std::string_view line, Index number) {
    const std::size_t before = array.values.size();
    read_line(line, number, name, array.values);
    const auto found = static_cast<Index>(array.values.size() - before);
    if (array.rows == 0) array.columns = found;
    if (found != array.columns) {
      fail_at(name, number, fmt::format("{} numbers, as on the lines before", array.columns),
              fmt::format("{}", found),
              "every line is a row; a Matrix Market file begins with a banner such as "
              "'%%MatrixMarket matrix array real general'");
    }
    ++array.rows;
    return true;
  });
  return array;
}

}  // namespace spsolve::io
