#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spsolve::inline io {

/// Whether the last part of a path holds a '*', which stands for any characters.
bool is_pattern(const std::filesystem::path& path);

/// A file that a pattern stands for.
struct PatternFile {
  std::filesystem::path file;
  std::string star;  ///< what the '*' stands for
};

/// The regular files that `pattern` stands for, numbers within names by their size: b-2 before
/// b-10. Throws Error(input) where there is none, or the pattern holds more than one '*'.
std::vector<PatternFile> files_of(const std::filesystem::path& pattern);

/// `pattern` with `star` in the place of its '*'.
std::filesystem::path with_star(const std::filesystem::path& pattern, const std::string& star);

}  // namespace spsolve::io
