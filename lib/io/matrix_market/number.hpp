#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#if __has_include(<fast_float/fast_float.h>)
#include <fast_float/fast_float.h>
#endif

// Numbers in text, independent of the locale. All functions may read up to 16 bytes beyond the
// number: the text must be padded (MappedFile is). They take little-endian processors for granted.

namespace spsolve::inline io {

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

/// Eight characters of text and how many of them, from the first on, are digits.
struct EightCharacters {
  std::uint64_t digits;  ///< character minus '0' in each byte
  int count;

  explicit EightCharacters(const char* text) {
    std::memcpy(&digits, text, 8);
    digits ^= 0x3030303030303030U;
    // The high bit of a byte is set where it is above 9. A carry only disturbs later characters.
    const std::uint64_t others = ((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U;
    count = others == 0 ? 8 : __builtin_ctzll(others) >> 3;
  }

  /// The number that the leading `count` digits are: pairs, then fours, then eights are joined.
  std::uint64_t value() const {
    std::uint64_t d = (digits << (4 * (8 - count))) << (4 * (8 - count));
    d = (d * 10 + (d >> 8)) & 0x00FF00FF00FF00FFU;
    d = (d * 100 + (d >> 16)) & 0x0000FFFF0000FFFFU;
    return (d * 10000 + (d >> 32)) & 0xFFFFFFFFU;
  }
};

/// Reads an unsigned integer with an optional '+'; larger ones than 2^64 - 1 become that. Moves `p`
/// past it. False where there is no digit.
inline bool parse_index(const char*& p, std::uint64_t& value) {
  if (*p == '+') [[unlikely]]
    ++p;
  const EightCharacters front(p);
  if (front.count == 0) return false;
  value = front.value();
  p += front.count;
  if (front.count < 8) [[likely]]
    return true;
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  for (; is_digit(*p); ++p) {
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    value = value > (largest - digit) / 10 ? largest : value * 10 + digit;
  }
  return true;
}

/// The decimal number `text` (no sign, an exponent of 'd' or 'e') rounded to double, to infinity
/// above the largest and to zero below the smallest.
inline double parse_any_real(std::string_view text) {
  const std::size_t letter = text.find_first_of("dD");
  std::string copy;
  if (letter != std::string_view::npos) {
    copy = text;
    copy[letter] = 'e';
    text = copy;
  }
  double value = 0.0;
#if __has_include(<fast_float/fast_float.h>)
  fast_float::from_chars(text.data(), text.data() + text.size(), value);
#else
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    // Too large or too small: where the first digit other than zero stands decides.
    const std::size_t exponent = text.find_first_of("eE");
    const std::string_view mantissa = text.substr(0, exponent);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t first = mantissa.find_first_not_of("0.");
    const bool negative = exponent != std::string_view::npos && text[exponent + 1] == '-';
    long power = exponent == std::string_view::npos ? 0 : 100000;
    if (exponent != std::string_view::npos) {
      const char* digits = text.data() + exponent + 1 + (is_digit(text[exponent + 1]) ? 0 : 1);
      std::from_chars(digits, text.data() + text.size(), power);
    }
    const long place = static_cast<long>(point) - static_cast<long>(first);
    value = place + (negative ? -power : power) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  }
#endif
  return value;
}

/// mantissa * 10^exponent, rounded once to the nearest double; infinity above the largest.
/// `text` is the same number as characters.
inline double scale_decimal(std::uint64_t mantissa, int exponent, std::string_view text) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  // Both factors are exact in double, so that their product or quotient is rounded once
  // (Clinger, How to read floating point numbers accurately, 1990).
  if (mantissa <= std::uint64_t{1} << 53 && exponent >= -22 && exponent <= 22) {
    const auto exact = static_cast<double>(mantissa);
    return exponent < 0 ? exact / powers[-exponent] : exact * powers[exponent];
  }
#if __has_include(<fast_float/fast_float.h>)
  // Lemire, Number parsing at a gigabyte per second, 2021. A negative power: it cannot decide.
  const auto parts =
      fast_float::compute_float<fast_float::binary_format<double>>(exponent, mantissa);
  if (parts.power2 >= 0) {
    const std::uint64_t bits = parts.mantissa | static_cast<std::uint64_t>(parts.power2) << 52;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
#endif
  return parse_any_real(text);
}

/// Reads a decimal number, with an optional sign of either kind, digits with or without a point,
/// and an exponent after 'e' or Fortran's 'd' in either case. Moves `p` past it. Rounds to nearest;
/// a number that is too small becomes a subnormal or zero, one that is too large infinity. False
/// where there is no such number (`nan` and `inf` are none).
inline bool parse_real(const char*& p, double& value) {
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const text = p;
  std::uint64_t mantissa = 0;
  for (; is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  auto digits = p - text;
  int exponent = 0;
  if (*p == '.') {
    static constexpr std::uint64_t powers[] = {1,      10,      100,      1000,     10000,
                                               100000, 1000000, 10000000, 100000000};
    const char* const fraction = ++p;
    int count = 0;
    do {
      const EightCharacters next(p);
      count = next.count;
      mantissa = mantissa * powers[count] + next.value();
      p += count;
    } while (count == 8);
    digits += p - fraction;
    exponent = static_cast<int>(fraction - p);
  }
  if (digits == 0) return false;
  if (const char letter = static_cast<char>(*p | 0x20); letter == 'e' || letter == 'd') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    if (!is_digit(*p)) return false;
    int power = 0;
    for (; is_digit(*p); ++p) power = power < 100000 ? power * 10 + (*p - '0') : power;
    exponent += down ? -power : power;
  }
  const std::string_view characters(text, static_cast<std::size_t>(p - text));
  // Up to 19 digits the mantissa has not overflowed.
  const double size =
      digits <= 19 ? scale_decimal(mantissa, exponent, characters) : parse_any_real(characters);
  value = negative ? -size : size;
  return true;
}

}  // namespace spsolve::io
