#include "core/plain_text.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace spsolve::inline core {

namespace {

unsigned char byte_at(std::string_view text, std::size_t k) {
  return k < text.size() ? static_cast<unsigned char>(text[k]) : 0;
}

/// Bytes of the character of UTF-8 that `text` begins with; 0 where it begins with none, or with
/// one that controls a terminal.
std::size_t character_bytes(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes > text.size()) return 0;
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte_at(text, k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte_at(text, 1);
  const bool controls = first == 0xc2 && second < 0xa0;
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return controls || too_long || beyond ? 0 : bytes;
}

/// Whether a character of UTF-8 goes on at byte k.
bool goes_on(std::string_view text, std::size_t k) {
  return (byte_at(text, k) & 0xc0) == 0x80;
}

std::string shortened(std::string_view line) {
  constexpr std::size_t most = 1000, first = 300, last = 500;
  if (line.size() <= most) return std::string(line);
  std::size_t end = first, begin = line.size() - last;
  while (goes_on(line, end)) --end;
  while (goes_on(line, begin)) ++begin;
  return std::string(line.substr(0, end)) + " ... " + std::string(line.substr(begin));
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t bytes = c == '\n' || c == '\t' ? 1 : character_bytes(text);
    if (bytes > 0) {
      result += text.substr(0, bytes);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

std::string plain_text(std::string_view message) {
  const std::string plain = without_controls(message);
  std::string result;
  for (std::string_view rest = plain;;) {
    const std::size_t end = rest.find('\n');
    result += shortened(rest.substr(0, end));
    if (end == rest.npos) return result;
    result += '\n';
    rest.remove_prefix(end + 1);
  }
}

void require_whole_name(std::string_view what, std::string_view name) {
  if (name.find('\0') == name.npos) return;
  fail(ExitCode::input, "{}: '{}' holds a zero byte, as no name of a file does; correct it", what,
       plain_text(name));
}

}  // namespace spsolve::core
