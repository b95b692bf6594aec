// The part of CollectedSettings that takes in the tree of a file.

#include <map>

#include <fmt/format.h>

#include "config/collected_settings.hpp"
#include "core/names/did_you_mean.hpp"

namespace spsolve::inline config {

namespace {

Origin origin_of(const YamlNode& node) {
  return {0, node.line, node.column};
}

}  // namespace

std::vector<std::string_view> CollectedSettings::words_in(const Section* section) {
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

void CollectedSettings::read(std::string_view text) {
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

void CollectedSettings::read_entries(const YamlNode& mapping, const Section* section) {
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

void CollectedSettings::read_option(const Option& option, const YamlEntry& entry) {
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

void CollectedSettings::read_section(const Section& section, const YamlEntry& entry) {
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

void CollectedSettings::unknown_key(const std::string& word, const Section* section,
                                    const Origin& origin) {
  const std::string key = section == nullptr ? word : fmt::format("{}.{}", section->name, word);
  const std::string sentence = fmt::format("'{}' is not an option", printable(key));
  const auto words = words_in(section);
  if (section == nullptr && find_option(word) != nullptr) {
    const std::size_t dot = word.find('.');
    report(origin,
           fmt::format("'{}' is written as a section: '{}: {{{}: ...}}'", word, word.substr(0, dot),
                       word.substr(dot + 1)),
           word);
  } else if (const std::string meant = meant_key(word); !meant.empty()) {
    report(origin, fmt::format("{}; did you mean '{}'?", sentence, meant), meant);
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

}  // namespace spsolve::config
