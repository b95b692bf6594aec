#include "config/collected_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/consistency.hpp"
#include "core/error.hpp"
#include "core/names/did_you_mean.hpp"
#include "io/file_pattern.hpp"
#include "io/files/mapped_file.hpp"

namespace spsolve::inline config {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_problems_shown = 100;

std::vector<std::string_view> option_keys() {
  std::vector<std::string_view> keys;
  for (const Option& option : options()) keys.push_back(option.key);
  return keys;
}

}  // namespace

// --- one setting

void CollectedSettings::give(const Option& option, const std::string& given, bool quoted,
                             const Origin& origin, std::string_view note) {
  const std::string text = understood(option, given);
  std::string problem = option_problem(option, text, quoted);
  if (problem.empty()) {
    given_[option.key] = {text, origin};
    return;
  }
  if (!note.empty() && !problem.ends_with('?')) problem += fmt::format(" ({})", note);
  report(origin, std::move(problem), option.key);
}

void CollectedSettings::give_shorthand(const Section& section, const std::string& text,
                                       const Origin& origin) {
  for (const Setting& setting : section.shorthand(text)) {
    if (origin.override_number > 0) drop_what_contradicts(setting.key);
    give(*find_option(setting.key), setting.value, false, origin, section.shorthand_help);
  }
}

// --- overrides

void CollectedSettings::drop_what_contradicts(std::string_view key) {
  if (key == "matrix.file") given_.erase("matrix.generate");
  if (key == "matrix.generate") given_.erase("matrix.file");
  if (key == "right_hand_side.kind") given_.erase("right_hand_side.file");
  if (key == "right_hand_side.file") given_.erase("right_hand_side.kind");
}

void CollectedSettings::apply_overrides() {
  for (std::size_t k = 0; k < overrides_.size(); ++k) {
    const std::string& text = overrides_[k].setting;
    const Origin origin{static_cast<int>(k) + 1, 1, 1};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      report(origin, "this must be KEY=VALUE, such as threads=4", "");
      continue;
    }
    const std::string key = text.substr(0, equals), value = text.substr(equals + 1);
    if (const Option* const option = find_option(key); option != nullptr) {
      // kind=file and file=PATH go together, in either order.
      if (!(key == "right_hand_side.kind" && value == "file")) drop_what_contradicts(option->key);
      give(*option, value, false, origin);
    } else if (const Section* const section = find_section(key); section == nullptr) {
      auto keys = option_keys();
      for (const Section& row : sections()) keys.push_back(row.name);
      std::string nearest = meant_key(key);
      if (nearest.empty()) nearest = closest(key, keys);
      if (nearest.empty()) {
        unknown_key(key, nullptr, origin);
      } else {
        report(origin,
               fmt::format("'{}' is not an option; did you mean '{}'?", printable(key), nearest),
               nearest);
      }
    } else if (section->shorthand != nullptr) {
      give_shorthand(*section, value, origin);
    } else {
      report(origin,
             fmt::format("'{}' is a section with the keys {}, not a single value", section->name,
                         fmt::join(words_in(section), ", ")),
             key);
    }
  }
}

// --- the whole

void CollectedSettings::check_together() {
  const Given* const file = given("matrix.file");
  const Given* const generate = given("matrix.generate");
  if (file != nullptr && generate != nullptr) {
    report(std::max(file->origin, generate->origin,
                    [](const Origin& a, const Origin& b) { return a.order() < b.order(); }),
           "'matrix.file' and 'matrix.generate' exclude each other", "matrix");
  }
  if (file == nullptr && generate == nullptr && !matrix_blamed_) {
    report(matrix_origin_,
           "'matrix' is missing: it is 'matrix: FILE', or 'matrix: SPECIFICATION' such as "
           "grid2d:100",
           "matrix");
  }
  const Given* const reader = given("matrix.reader");
  const Given* const task = given("task");
  const Given* const method = given("solve.method");
  const bool multiplies = task != nullptr && task->text == "multiply";
  const bool needs_whole =
      method == nullptr || method->text == "auto" || method->text.starts_with("sparse_");
  if (reader != nullptr && reader->text == "parallel" && !multiplies && needs_whole) {
    report(
        reader->origin,
        "'matrix.reader' may be parallel with task: multiply, and where solve.method is a Krylov "
        "method, lu, gauss or gauss_jordan: others look at the whole matrix first",
        "");
  }
  const Given* const folder = given("checkpoint.directory");
  if (folder == nullptr || folder->text.empty()) {
    const Given* const resume = given("checkpoint.resume");
    const Given* const limit = given("checkpoint.time_limit");
    if (resume != nullptr && resume->text == "require") {
      report(resume->origin,
             "'checkpoint.resume' is require, and 'checkpoint.directory' is missing", "");
    }
    if (limit != nullptr && limit->text != "0") {
      report(limit->origin, "'checkpoint.time_limit' needs 'checkpoint.directory'", "");
    }
  }
  const Given* const kind = given("right_hand_side.kind");
  const Given* const values = given("right_hand_side.file");
  if (kind != nullptr && kind->text == "file" && values == nullptr) {
    report(kind->origin, "'right_hand_side.kind' is file, and 'right_hand_side.file' is missing",
           "");
  } else if (kind != nullptr && kind->text != "file" && values != nullptr) {
    report(values->origin,
           fmt::format("'right_hand_side.file' needs kind: file, not kind: {}", kind->text), "");
  } else if (kind == nullptr && values != nullptr) {
    given_["right_hand_side.kind"] = {"file", values->origin};
  }
}

std::string CollectedSettings::resolved(const Option& option, const Given& given) const {
  const bool is_file =
      option.type == OptionType::input_path ||
      (option.type == OptionType::word_or_path &&
       std::ranges::find(option.words, std::string_view(given.text)) == option.words.end());
  if (!is_file) return given.text;
  if (given.text == "-") return given.text;
  if (io::is_pattern(given.text) && option.type == OptionType::input_path) {
    // Next to the configuration file if the pattern's folder is there, else here.
    std::error_code ignored;
    const fs::path folder = fs::path(given.text).parent_path();
    const bool here_too = given.origin.override_number > 0 || folder_.empty() ||
                          !fs::is_directory(folder_ / folder, ignored);
    return here_too ? given.text : (folder_ / given.text).string();
  }
  const fs::path here = given.text, beside = folder_ / given.text;
  std::error_code ignored;
  const bool here_first = given.origin.override_number > 0;
  const auto exists = [&](const fs::path& name) {
    return fs::exists(io::MappedFile::file_of(name), ignored);
  };
  if (here_first && exists(here)) return here.string();
  return exists(beside) ? beside.string() : here.string();
}

std::string CollectedSettings::message() const {
  std::string text;
  for (std::size_t k = 0; k < std::min(problems_.size(), most_problems_shown); ++k) {
    const auto& [origin, sentence] = problems_[k];
    if (k > 0) text += '\n';
    text += origin.override_number > 0
                ? fmt::format("{}: {}", printable(overrides_[origin.override_number - 1].typed),
                              sentence)
                : fmt::format("{}:{}:{}: {}", name_, origin.line, origin.column, sentence);
  }
  if (problems_.size() > most_problems_shown) {
    text += fmt::format("\n... and {} more", problems_.size() - most_problems_shown);
  }
  return text;
}

Config CollectedSettings::finish() {
  check_together();
  Config config;
  for (const auto& [key, value] : given_) {
    const Option& option = *find_option(key);
    option.set(config, resolved(option, value));
  }
  for (auto& [key, sentence] : inconsistencies(config)) {
    report(given(key)->origin, std::move(sentence), "");
  }
  if (!problems_.empty()) {
    std::ranges::stable_sort(problems_, {}, [](const Problem& p) { return p.origin.order(); });
    throw Error(ExitCode::input, message());
  }
  return config;
}

}  // namespace spsolve::config
