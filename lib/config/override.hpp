#pragma once

#include <concepts>
#include <string>
#include <utility>

namespace spsolve::inline config {

/// A setting that was given on the command line, and counts more than a file's.
struct Override {
  std::string setting;  ///< "KEY=VALUE"
  std::string typed;    ///< what was typed, for messages

  /// One of --set.
  template <typename Text>
  requires std::constructible_from<std::string, Text> Override(Text&& key_and_value)
      : setting(std::forward<Text>(key_and_value)), typed("--set " + setting) {}

  Override(std::string key_and_value, std::string words)
      : setting(std::move(key_and_value)), typed(std::move(words)) {}
};

}  // namespace spsolve::config
