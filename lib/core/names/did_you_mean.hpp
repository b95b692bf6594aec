#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spsolve::inline core {

/// The text with a ... z for A ... Z; other letters stay.
std::string lower_case(std::string_view text);

/// Edits that turn `a` into `b`: insertions, deletions, replacements and swaps of neighbours, each
/// counted once, no substring edited twice (optimal string alignment, the restricted form of the
/// Damerau-Levenshtein distance; Boytsov 2011, section 2.2.1). Cost |a| |b|.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` (the first of equals), or "" where none is near: at most one
/// edit for every three letters of the longer word, and at least one. Upper and lower case count
/// as the same.
std::string closest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'x'?" for the closest candidate, or "" where none is near: the end of a
/// sentence.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace spsolve::core
