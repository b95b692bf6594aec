#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

namespace spsolve::inline core {

/// The words by which a configuration names the values of an enumeration: the k-th word names the
/// enumerator of value k. Each enumeration that has some offers them by words_of(Enumeration).
using Words = std::span<const std::string_view>;

inline constexpr std::string_view switch_words[] = {"false", "true"};
template <std::same_as<bool> Switch>
constexpr Words words_of(Switch) {
  return switch_words;
}

/// The word for `choice`.
template <typename Choice>
requires requires(Choice choice) {
  words_of(choice);
}
constexpr std::string_view name(Choice choice) {
  return words_of(choice)[static_cast<std::size_t>(choice)];
}

}  // namespace spsolve::core
