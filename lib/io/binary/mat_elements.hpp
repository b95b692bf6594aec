#pragma once

#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "matrix/numbers.hpp"

// What files of MATLAB are made of; see mat.hpp.

namespace spsolve::inline io {

constexpr std::size_t mat_tag_bytes = 8;
constexpr std::uint32_t deflated_element = 15;  ///< a type of elements

/// Throws Error(input) that begins with the name of a file.
[[noreturn]] inline void fail_damaged_mat(const std::string& name, std::string_view why) {
  fail(ExitCode::input, "{}: {}; the file is cut off or damaged: save it anew", name, why);
}

/// The elements of a file of MATLAB, one after another.
class MatElements {
 public:
  MatElements(std::string_view bytes, bool swaps, const std::string& name)
      : left_(bytes), swaps_(swaps), name_(&name) {}

  struct Element {
    std::uint32_t type = 0;
    std::string_view bytes;
  };

  bool has_more() const { return left_.size() >= mat_tag_bytes; }
  bool swaps() const { return swaps_; }
  const std::string& name() const { return *name_; }

  Element next() {
    if (!has_more()) fail_damaged_mat(*name_, "an element is missing");
    std::uint32_t type = number(0), size = number(4);
    std::string_view content = left_.substr(mat_tag_bytes);
    if (const std::uint32_t small = type >> 16; small != 0) {  // with its size in one word
      if (small > 4) fail_damaged_mat(*name_, "a short element is longer than it can be");
      type &= 0xffff;
      content = left_.substr(4, small);
      left_.remove_prefix(mat_tag_bytes);
      return {type, content};
    }
    if (size > content.size()) {
      fail_damaged_mat(*name_, fmt::format("an element of {} bytes has {}", size, content.size()));
    }
    const std::size_t whole = type == deflated_element ? size : (std::size_t{size} + 7) / 8 * 8;
    left_ = content.substr(std::min(whole, content.size()));
    return {type, content.substr(0, size)};
  }

  /// Numbers of the next element; `what` they are, in errors.
  Numbers numbers(std::string_view what) {
    const Element element = next();
    constexpr std::optional<NumberType> none;
    const std::optional<NumberType> types[] = {none,
                                               NumberType::int8,
                                               NumberType::uint8,
                                               NumberType::int16,
                                               NumberType::uint16,
                                               NumberType::int32,
                                               NumberType::uint32,
                                               NumberType::float32,
                                               none,
                                               NumberType::float64,
                                               none,
                                               none,
                                               NumberType::int64,
                                               NumberType::uint64};
    if (element.type >= std::size(types) || !types[element.type]) {
      fail_damaged_mat(*name_, fmt::format("{} are of the type {}, which is none of numbers", what,
                                           element.type));
    }
    const NumberType type = *types[element.type];
    const bool little = std::endian::native == std::endian::little;
    return {element.bytes.data(), static_cast<Index>(element.bytes.size() / bytes_of(type)), type,
            little == swaps_};
  }

  std::string_view text() { return next().bytes; }

 private:
  std::uint32_t number(std::size_t at) const {
    const char* const place = left_.data() + at;
    return swaps_ ? number_at<std::uint32_t, true>(place, 0)
                  : number_at<std::uint32_t, false>(place, 0);
  }

  std::string_view left_;
  bool swaps_;
  const std::string* name_;
};

}  // namespace spsolve::io
