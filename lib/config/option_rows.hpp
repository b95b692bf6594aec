#pragma once

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "config/schema.hpp"
#include "core/error.hpp"

namespace spsolve::inline config::option_rows {

using core::words_of;  // of bool, which no argument's namespace leads to

// How a row of the table of options is made, by its type. `path` are the pointers to members that
// lead to the value.

inline constexpr Index no_limit = std::numeric_limits<Index>::max();

/// Whether the text is an integer, and which.
inline bool read_integer(std::string_view text, Index& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

/// Whether the text is a number, and which.
inline bool read_number(std::string_view text, double& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

template <auto... path>
using ValueAt = std::remove_cvref_t<decltype((std::declval<Config&>().*....*path))>;

/// `words` are all of the type's, or the first of them.
template <auto... path>
constexpr Option choice(std::string_view key, std::string_view help,
                        Words words = words_of(ValueAt<path...>{})) {
  using Choice = ValueAt<path...>;
  return {key,
          OptionType::choice,
          words,
          0,
          0,
          "",
          help,
          [](const Config& config) { return std::string(name((config.*....*path))); },
          [](Config& config, std::string_view text) {
            const Words all = words_of(Choice{});
            (config.*....*path) =
                static_cast<Choice>(std::find(all.begin(), all.end(), text) - all.begin());
          },
          nullptr};
}

template <auto... path>
constexpr Option integer(std::string_view key, Index minimum, Index maximum, std::string_view unit,
                         std::string_view help) {
  return {key,
          OptionType::integer,
          {},
          minimum,
          maximum,
          unit,
          help,
          [](const Config& config) { return fmt::format("{}", (config.*....*path)); },
          [](Config& config, std::string_view text) {
            Index value = 0;
            if (!read_integer(text, value)) fail(ExitCode::internal, "'{}' is no integer", text);
            (config.*....*path) = static_cast<ValueAt<path...>>(value);
          },
          nullptr};
}

/// A number in double, 0 for `auto`; `check` knows its range.
template <auto... path>
constexpr Option number_or_auto(std::string_view key, std::string_view help,
                                std::string (*check)(std::string_view)) {
  return {key,
          OptionType::number,
          {},
          0,
          0,
          "",
          help,
          [](const Config& config) {
            const double value = (config.*....*path);
            return value == 0 ? std::string("auto") : fmt::format("{:g}", value);
          },
          [](Config& config, std::string_view text) {
            double value = 0;
            if (text != "auto" && !read_number(text, value)) {
              fail(ExitCode::internal, "'{}' is no number", text);
            }
            (config.*....*path) = value;
          },
          check};
}

template <auto... path>
constexpr Option text_option(OptionType type, std::string_view key, std::string_view help,
                             std::string (*check)(std::string_view) = nullptr) {
  return {key,
          type,
          {},
          0,
          0,
          "",
          help,
          [](const Config& config) {
            if constexpr (std::is_same_v<ValueAt<path...>, std::string>) {
              return (config.*....*path);
            } else {
              return (config.*....*path).string();
            }
          },
          [](Config& config, std::string_view text) { (config.*....*path) = text; },
          check};
}

/// One of `words`, or a file, which the choice's next value stands for. parts(config) are the
/// choice and the file.
template <const auto& words, auto parts>
Option word_or_path(std::string_view key, Words endings, std::string_view help) {
  return {key,
          OptionType::word_or_path,
          words,
          0,
          0,
          "",
          help,
          [](const Config& config) {
            const auto& [choice, file] = parts(config);
            const auto k = static_cast<std::size_t>(choice);
            return k < std::size(words) ? std::string(words[k])
                                        : std::filesystem::path(file).string();
          },
          [](Config& config, std::string_view text) {
            const auto& [choice, file] = parts(config);
            const auto found = std::ranges::find(words, text);
            choice = static_cast<std::remove_cvref_t<decltype(choice)>>(found - std::begin(words));
            file = found == std::end(words) ? text : "";
          },
          nullptr,
          endings};
}

/// Whether the text ends in one of those.
inline bool ends_in(std::string_view text, Words endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return text.ends_with(ending); });
}

}  // namespace spsolve::config::option_rows
