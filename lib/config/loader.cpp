#include "config/loader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "config/consistency.hpp"
#include "config/schema.hpp"
#include "config/yaml_tree.hpp"
#include "core/did_you_mean.hpp"
#include "core/error.hpp"

namespace spsolve {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::size_t most_problems_shown = 100;

/// Where a setting comes from: a place of the file, or the override of this number from 1.
struct Origin {
  int override_number = 0;
  int line = 1;
  int column = 1;

  auto order() const { return std::tuple(override_number, line, column); }
};

Origin origin_of(const YamlNode& node) {
  return {0, node.line, node.column};
}

std::vector<std::string_view> option_keys() {
  std::vector<std::string_view> keys;
  for (const Option& option : options()) keys.push_back(option.key);
  return keys;
}

/// What may stand at the top of the file, or, with `section`, in that section.
std::vector<std::string_view> words_in(const Section* section) {
  std::vector<std::string_view> words;
  if (section == nullptr) {
    for (const Section& row : sections()) words.push_back(row.name);
  }
  for (const Option& option : options()) {
    const std::size_t dot = option.key.find('.');
    const bool at_top = dot == std::string_view::npos;
    if (section == nullptr ? at_top : !at_top && option.key.substr(0, dot) == section->name) {
      words.push_back(at_top ? option.key : option.key.substr(dot + 1));
    }
  }
  return words;
}

/// Collects settings and problems from the file and the overrides; finish() makes the Config.
class Loader {
 public:
  Loader(std::string_view name, const fs::path& folder, std::span<const std::string> overrides)
      : name_(name), folder_(folder), overrides_(overrides) {}

  void read(std::string_view text);
  void apply_overrides();
  Config finish();

 private:
  struct Given {
    std::string text;
    Origin origin;
  };
  struct Problem {
    Origin origin;
    std::string sentence;
  };

  /// `subject` is the key that the user meant, as far as known.
  void report(const Origin& origin, std::string sentence, std::string_view subject) {
    problems_.push_back({origin, std::move(sentence)});
    blame(subject);
  }
  /// Notes that a problem of `subject` is reported: it need not be called missing as well.
  void blame(std::string_view subject) {
    matrix_blamed_ = matrix_blamed_ || subject == "matrix" || subject.starts_with("matrix.");
  }

  void read_entries(const YamlNode& mapping, const Section* section);
  void read_option(const Option& option, const YamlEntry& entry);
  void read_section(const Section& section, const YamlEntry& entry);
  void unknown_key(const std::string& word, const Section* section, const Origin& origin);
  void give(const Option& option, const std::string& text, bool quoted, const Origin& origin,
            std::string_view note = "");
  void give_shorthand(const Section& section, const std::string& text, const Origin& origin);
  void drop_what_contradicts(std::string_view key);
  void check_together();
  std::string resolved(const Option& option, const Given& given) const;
  std::string message() const;

  const Given* given(std::string_view key) const {
    const auto found = given_.find(key);
    return found == given_.end() ? nullptr : &found->second;
  }

  std::string name_;
  fs::path folder_;
  std::span<const std::string> overrides_;
  std::map<std::string_view, Given> given_;  // by the keys of the table
  std::vector<Problem> problems_;
  Origin matrix_origin_;
  bool matrix_blamed_ = false;  // a problem names the matrix already
};

// --- the file

void Loader::read(std::string_view text) {
  if (text.starts_with("%%MatrixMarket")) {
    report(
        {0, 1, 1},
        fmt::format("this is a Matrix Market file, and a configuration is wanted: write one with "
                    "the line 'matrix: {}'",
                    name_),
        "matrix");
    return;
  }
  if (text.size() > most_bytes) {
    report({}, fmt::format("a configuration of more than {} bytes is refused", most_bytes),
           "matrix");
    return;
  }
  std::vector<YamlProblem> problems;
  const YamlNode root = parse_yaml(text, problems);
  for (YamlProblem& problem : problems) {
    report({0, problem.line, problem.column}, std::move(problem.sentence), "");
  }
  switch (root.kind) {
    case YamlNode::Kind::mapping:
      read_entries(root, nullptr);
      break;
    case YamlNode::Kind::null:
    case YamlNode::Kind::refused:
      matrix_blamed_ = matrix_blamed_ || !problems.empty();
      break;
    default:
      report(origin_of(root),
             fmt::format("a configuration is made of keys and values, such as 'matrix: FILE', not "
                         "of {}",
                         root.kind == YamlNode::Kind::sequence
                             ? "a list"
                             : fmt::format("the text '{}'", printable(root.text))),
             "matrix");
  }
}

void Loader::read_entries(const YamlNode& mapping, const Section* section) {
  std::map<std::string, int> first_line;
  for (const YamlEntry& entry : mapping.entries) {
    if (entry.key.kind == YamlNode::Kind::refused) continue;
    if (entry.key.kind != YamlNode::Kind::scalar) {
      report(origin_of(entry.key), "a key must be a word", "");
      continue;
    }
    const std::string key =
        section == nullptr ? entry.key.text : fmt::format("{}.{}", section->name, entry.key.text);
    const auto [first, is_new] = first_line.emplace(entry.key.text, entry.key.line);
    if (!is_new) {
      report(origin_of(entry.key),
             fmt::format("'{}' is given twice, first in line {}", printable(key), first->second),
             key);
      continue;
    }
    const Section* const inner = section == nullptr ? find_section(key) : nullptr;
    const bool dotted = entry.key.text.find('.') != std::string::npos;
    if (const Option* const option = find_option(key); option != nullptr && !dotted) {
      read_option(*option, entry);
    } else if (inner != nullptr) {
      read_section(*inner, entry);
    } else {
      unknown_key(entry.key.text, section, origin_of(entry.key));
    }
  }
}

void Loader::read_option(const Option& option, const YamlEntry& entry) {
  switch (entry.value.kind) {
    case YamlNode::Kind::scalar:
      give(option, entry.value.text, entry.value.quoted, origin_of(entry.value));
      break;
    case YamlNode::Kind::null:
      if (option.type == OptionType::output_path) break;  // none
      report(origin_of(entry.key),
             fmt::format("'{}' has no value; it must be {}", option.key, expected_value(option)),
             option.key);
      break;
    case YamlNode::Kind::refused:
      blame(option.key);  // reported by parse_yaml()
      break;
    default:
      report(origin_of(entry.value),
             fmt::format("'{}' must be {}, not a {}", option.key, expected_value(option),
                         entry.value.kind == YamlNode::Kind::mapping ? "section" : "list"),
             option.key);
  }
}

void Loader::read_section(const Section& section, const YamlEntry& entry) {
  if (section.name == "matrix") matrix_origin_ = origin_of(entry.key);
  switch (entry.value.kind) {
    case YamlNode::Kind::mapping:
      read_entries(entry.value, &section);
      break;
    case YamlNode::Kind::null:
      break;  // an empty section
    case YamlNode::Kind::refused:
      blame(section.name);  // reported by parse_yaml()
      break;
    case YamlNode::Kind::scalar:
      if (section.shorthand != nullptr) {
        give_shorthand(section, entry.value.text, origin_of(entry.value));
        break;
      }
      [[fallthrough]];
    default:
      report(origin_of(entry.value),
             fmt::format("'{}' is a section with the keys {}, not a {}", section.name,
                         fmt::join(words_in(&section), ", "),
                         entry.value.kind == YamlNode::Kind::scalar ? "single value" : "list"),
             section.name);
  }
}

void Loader::unknown_key(const std::string& word, const Section* section, const Origin& origin) {
  const std::string key = section == nullptr ? word : fmt::format("{}.{}", section->name, word);
  const std::string sentence = fmt::format("'{}' is not an option", printable(key));
  const auto words = words_in(section);
  if (section == nullptr && find_option(word) != nullptr) {
    const std::size_t dot = word.find('.');
    report(origin,
           fmt::format("'{}' is written as a section: '{}: {{{}: ...}}'", word, word.substr(0, dot),
                       word.substr(dot + 1)),
           word);
  } else if (const std::string nearest = closest(word, words); !nearest.empty()) {
    const std::string full =
        section == nullptr ? nearest : fmt::format("{}.{}", section->name, nearest);
    report(origin, fmt::format("{}; did you mean '{}'?", sentence, full), full);
  } else {
    // Perhaps it stands in the wrong section.
    for (const Option& option : options()) {
      if (option.key.ends_with("." + word)) {
        report(origin, fmt::format("{}; did you mean '{}'?", sentence, option.key), option.key);
        return;
      }
    }
    report(origin,
           fmt::format("{}; {} {}", sentence,
                       section == nullptr ? "the keys are"
                                          : fmt::format("the keys of '{}' are", section->name),
                       fmt::join(words, ", ")),
           key);
  }
}

// --- one setting

void Loader::give(const Option& option, const std::string& text, bool quoted, const Origin& origin,
                  std::string_view note) {
  std::string problem = option_problem(option, text, quoted);
  if (problem.empty()) {
    given_[option.key] = {text, origin};
    return;
  }
  if (!note.empty() && !problem.ends_with('?')) problem += fmt::format(" ({})", note);
  report(origin, std::move(problem), option.key);
}

void Loader::give_shorthand(const Section& section, const std::string& text, const Origin& origin) {
  for (const Setting& setting : section.shorthand(text)) {
    if (origin.override_number > 0) drop_what_contradicts(setting.key);
    give(*find_option(setting.key), setting.value, false, origin, section.shorthand_help);
  }
}

// --- overrides

void Loader::drop_what_contradicts(std::string_view key) {
  if (key == "matrix.file") given_.erase("matrix.generate");
  if (key == "matrix.generate") given_.erase("matrix.file");
  if (key == "right_hand_side.kind") given_.erase("right_hand_side.file");
  if (key == "right_hand_side.file") given_.erase("right_hand_side.kind");
}

void Loader::apply_overrides() {
  for (std::size_t k = 0; k < overrides_.size(); ++k) {
    const std::string& text = overrides_[k];
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
      const std::string nearest = closest(key, keys);
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

void Loader::check_together() {
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
  if (reader != nullptr && reader->text == "parallel" &&
      (task == nullptr || task->text != "multiply")) {
    report(reader->origin, "'matrix.reader' may be parallel with task: multiply only", "");
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

std::string Loader::resolved(const Option& option, const Given& given) const {
  const bool is_file =
      option.type == OptionType::input_path ||
      (option.type == OptionType::word_or_path &&
       std::ranges::find(option.words, std::string_view(given.text)) == option.words.end());
  if (!is_file) return given.text;
  const fs::path here = given.text, beside = folder_ / given.text;
  std::error_code ignored;
  const bool here_first = given.origin.override_number > 0;
  if (here_first && fs::exists(here, ignored)) return here.string();
  return fs::exists(beside, ignored) ? beside.string() : here.string();
}

std::string Loader::message() const {
  std::string text;
  for (std::size_t k = 0; k < std::min(problems_.size(), most_problems_shown); ++k) {
    const auto& [origin, sentence] = problems_[k];
    if (k > 0) text += '\n';
    text += origin.override_number > 0
                ? fmt::format("--set {}: {}", printable(overrides_[origin.override_number - 1]),
                              sentence)
                : fmt::format("{}:{}:{}: {}", name_, origin.line, origin.column, sentence);
  }
  if (problems_.size() > most_problems_shown) {
    text += fmt::format("\n... and {} more", problems_.size() - most_problems_shown);
  }
  return text;
}

Config Loader::finish() {
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

}  // namespace

Config parse_config(std::string_view text, std::string_view name,
                    std::span<const std::string> overrides, const fs::path& folder) {
  Loader loader(name, folder, overrides);
  loader.read(text);
  loader.apply_overrides();
  return loader.finish();
}

Config load_config(const fs::path& file, std::span<const std::string> overrides) {
  if (std::error_code ignored; fs::is_directory(file, ignored)) {
    fail(ExitCode::input, "the configuration '{}' is a folder; name a YAML file in it",
         file.string());
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    fail(ExitCode::input,
         "the configuration '{}' cannot be read: {}; check its name and its permissions",
         file.string(), std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return parse_config(text, file.string(), overrides, file.parent_path());
}

}  // namespace spsolve
