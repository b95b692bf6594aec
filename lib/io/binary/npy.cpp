#include "io/binary/npy.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "io/binary/zip.hpp"

namespace spsolve::inline io {

namespace {

constexpr std::string_view npy_magic("\x93NUMPY", 6);

/// The few forms of Python that a header is made of.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    skip_spaces();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::optional<Index> integer() {
    skip_spaces();
    Index value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc{} || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    take('L');  // of Python 2
    return value;
  }

 private:
  void skip_spaces() {
    const std::size_t n = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(n == rest_.npos ? rest_.size() : n);
  }
  std::string_view rest_;
};

/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }; whether it is one.
bool parse_header(std::string_view text, NpyArray& array) {
  HeaderText header(text);
  bool has_descr = false, has_order = false, has_shape = false;
  if (!header.take('{')) return false;
  while (!header.take('}')) {
    const auto key = header.quoted();
    if (!key || !header.take(':')) return false;
    if (*key == "descr") {
      const auto descr = header.quoted();
      if (!descr) return false;  // a structure's is a list
      array.descr = *descr;
      has_descr = true;
    } else if (*key == "fortran_order") {
      array.fortran = header.take("True");
      if (!array.fortran && !header.take("False")) return false;
      has_order = true;
    } else if (*key == "shape") {
      if (!header.take('(')) return false;
      array.shape.clear();
      while (!header.take(')')) {
        const auto size = header.integer();
        if (!size) return false;
        array.shape.push_back(*size);
        header.take(',');
      }
      has_shape = true;
    } else {
      return false;
    }
    header.take(',');
  }
  return has_descr && has_order && has_shape;
}

/// "<f8" -> the type, "" for the bytes of an element where it is none.
std::optional<NumberType> type_of(std::string_view descr) {
  constexpr std::pair<std::string_view, NumberType> types[] = {
      {"b1", NumberType::boolean},    {"i1", NumberType::int8},    {"i2", NumberType::int16},
      {"i4", NumberType::int32},      {"i8", NumberType::int64},   {"u1", NumberType::uint8},
      {"u2", NumberType::uint16},     {"u4", NumberType::uint32},  {"u8", NumberType::uint64},
      {"f4", NumberType::float32},    {"f8", NumberType::float64}, {"c8", NumberType::complex64},
      {"c16", NumberType::complex128}};
  if (descr.empty()) return std::nullopt;
  for (const auto& [word, type] : types) {
    if (descr.substr(1) == word) return type;
  }
  return std::nullopt;
}

/// Bytes of an element: the number after the letter, of U in characters of 4 bytes.
std::optional<Index> element_bytes(std::string_view descr) {
  if (descr.size() < 3) return std::nullopt;
  Index size = 0;
  const char* const end = descr.data() + descr.size();
  const auto [stop, problem] = std::from_chars(descr.data() + 2, end, size);
  constexpr Index most = 1 << 20;
  if (problem != std::errc{} || stop != end || size < 1 || size > most) return std::nullopt;
  return descr[1] == 'U' ? 4 * size : size;
}

}  // namespace

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(npy_magic);
}

Index NpyArray::elements() const {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return count;
}

NpyArray parse_npy_header(std::string_view bytes, const std::string& name) {
  if (!is_npy(bytes)) {
    fail(ExitCode::input, "{}: does not begin as an array of numpy (.npy) does; save it again",
         name);
  }
  const auto byte = [&](std::size_t k) {
    return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u;
  };
  const unsigned version = byte(6);
  if (version < 1 || version > 3) {
    fail(ExitCode::input, "{}: is an array of numpy of version {}, and 1 to 3 are read", name,
         version);
  }
  const std::size_t before = version == 1 ? 10 : 12;
  const std::size_t length =
      version == 1 ? byte(8) + 256 * byte(9)
                   : byte(8) + 256 * byte(9) + 65536 * byte(10) + std::size_t{16777216} * byte(11);
  if (before + length > most_npy_header) {
    fail(ExitCode::input,
         "{}: its header should have {} bytes, and numpy writes at most {}; save it again", name,
         before + length, most_npy_header);
  }
  if (before + length > bytes.size()) {
    fail(ExitCode::input, "{}: is cut off within its header; copy or save it again", name);
  }
  NpyArray array;
  if (!parse_header(bytes.substr(before, length), array)) {
    fail(ExitCode::input,
         "{}: its header cannot be understood; it should name one descr, such as '<f8', "
         "fortran_order and shape, and structured arrays are not read",
         name);
  }
  const auto size = element_bytes(array.descr);
  if (!size) {
    fail(ExitCode::input, "{}: holds elements of type '{}'; give it float64 or float32", name,
         shown(array.descr));
  }
  Index total = *size;
  for (const Index dimension : array.shape) {
    if (__builtin_mul_overflow(total, dimension, &total)) {
      fail(ExitCode::input, "{}: a shape of {} cannot be", name,
           shown(fmt::format("{}", fmt::join(array.shape, " x "))));
    }
  }
  array.bytes = bytes.substr(before + length);
  return array;
}

NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  return parse_npy_front(bytes, bytes.size(), name);
}

NpyArray parse_npy_front(std::string_view front, std::size_t size, const std::string& name) {
  NpyArray array = parse_npy_header(front, name);
  const Index total = array.elements() * *element_bytes(array.descr);
  const auto there = static_cast<Index>(size - (front.size() - array.bytes.size()));
  if (there < total) {
    fail(ExitCode::input,
         "{}: is cut off: its header stands for {} bytes of numbers, and {} are "
         "there; copy or save it again",
         name, total, there);
  }
  if (there > total) {
    fail(ExitCode::input,
         "{}: holds {} bytes more than its header stands for; save one array to a "
         "file",
         name, there - total);
  }
  return array;
}

Numbers NpyArray::numbers(const std::string& name) const {
  const auto type = type_of(descr);
  if (!type || (descr[0] != '<' && descr[0] != '>' && descr[0] != '|' && descr[0] != '=')) {
    fail(ExitCode::input,
         "{}: holds elements of type '{}'; numbers are read such as float64 and complex128", name,
         shown(descr));
  }
  return {bytes.data(), elements(), *type, descr[0] == '>'};
}

std::string NpyArray::text(const std::string& name) const {
  const char kind = descr.size() > 1 ? descr[1] : '\0';
  constexpr Index longest = 1024;
  const auto size = element_bytes(descr);
  if ((kind != 'S' && kind != 'U') || elements() != 1 || !size || *size > longest) {
    fail(ExitCode::input, "{}: should be one short text, and is of type '{}'", name, shown(descr));
  }
  std::string result;
  const std::size_t step = kind == 'U' ? 4 : 1;
  const std::size_t low = kind == 'U' && descr[0] == '>' ? 3 : 0;
  for (std::size_t k = 0; k + step <= bytes.size(); k += step) {
    if (bytes[k + low] != '\0') result += bytes[k + low];
  }
  return result;
}

std::string npy_front(std::string_view descr, bool fortran, const std::vector<Index>& shape) {
  const std::string sizes = shape.size() == 1 ? fmt::format("({},)", shape[0])
                                              : fmt::format("({})", fmt::join(shape, ", "));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                   fortran ? "True" : "False", sizes);
  constexpr std::size_t before = 10, alignment = 64;
  const std::size_t used = before + header.size() + 1;
  header.append((alignment - used % alignment) % alignment, ' ');
  header += '\n';
  std::string front(npy_magic);
  front += '\x01';
  front += '\0';
  front += static_cast<char>(header.size() % 256);
  front += static_cast<char>(header.size() / 256);
  return front + header;
}

}  // namespace spsolve::io
