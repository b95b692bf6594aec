#include "core/names/did_you_mean.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace spsolve::inline core {

namespace {

/// Words longer than this are nobody's typing error, and their distance would cost too much.
constexpr std::size_t longest_word = 100;

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> before_last(width), last(width), current(width);
  for (std::size_t j = 0; j < width; ++j) current[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(current);
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replace, last[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
  }
  return current[b.size()];
}

std::string closest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > longest_word) return "";
  const std::string wanted = lower_case(word);
  std::string_view best;
  int best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    const auto limit = std::max<std::size_t>(1, longer / 3);
    if (longer - shorter > limit) continue;  // so many edits at least
    const int distance = edit_distance(wanted, lower_case(candidate));
    if (distance > static_cast<int>(limit)) continue;
    // Two one-letter words always differ by one edit: that is no likeness.
    if (distance >= static_cast<int>(longer)) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string nearest = closest(word, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace spsolve::core
