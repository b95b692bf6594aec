#include "io/file_pattern.hpp"

#include <algorithm>
#include <cctype>

#include "core/error.hpp"

namespace spsolve::inline io {

namespace fs = std::filesystem;

namespace {

bool is_decimal_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Whether a comes before b, runs of digits by the numbers that they are.
bool before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_decimal_digit(a[i]) || !is_decimal_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto run = [](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t first = at;
      while (at < text.size() && is_decimal_digit(text[at])) ++at;
      return text.substr(first, at - first);
    };
    const std::string x = run(a, i), y = run(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  return a.size() - i < b.size() - j || (a.size() - i == b.size() - j && a < b);
}

}  // namespace

bool is_pattern(const fs::path& path) {
  return path.filename().string().find('*') != std::string::npos;
}

std::vector<PatternFile> files_of(const fs::path& pattern) {
  const std::string name = pattern.filename().string();
  const std::size_t star = name.find('*');
  if (name.find('*', star + 1) != name.npos) {
    fail(ExitCode::input, "{}: a pattern holds one '*' only", pattern.string());
  }
  const std::string front = name.substr(0, star), back = name.substr(star + 1);
  const fs::path folder = pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
  std::vector<PatternFile> found;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string file = entry->path().filename().string();
    const bool matches = file.size() >= front.size() + back.size() && file.starts_with(front) &&
                         file.ends_with(back);
    if (!matches || !entry->is_regular_file(problem)) continue;
    found.push_back({pattern.parent_path() / file,
                     file.substr(front.size(), file.size() - front.size() - back.size())});
  }
  if (found.empty()) {
    fail(ExitCode::input, "{}: no file has a name like that; check the folder and the pattern",
         pattern.string());
  }
  std::ranges::sort(found, before, &PatternFile::star);
  return found;
}

fs::path with_star(const fs::path& pattern, const std::string& star) {
  std::string name = pattern.filename().string();
  if (const std::size_t at = name.find('*'); at != name.npos) name.replace(at, 1, star);
  return pattern.parent_path() / name;
}

}  // namespace spsolve::io
