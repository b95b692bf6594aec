// Texts that are printed from the table of options: a configuration file, a report, help texts.

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/schema.hpp"

namespace spsolve::inline config {

namespace {

/// "solve" of "solve.method", "" of "threads".
std::string_view section_of(const Option& option) {
  const std::size_t dot = option.key.find('.');
  return dot == std::string_view::npos ? "" : option.key.substr(0, dot);
}

std::string_view last_word(const Option& option) {
  return option.key.substr(option.key.find('.') + 1);  // npos + 1 is 0
}

/// The form of the value after the key, in short: "auto|host|cuda", "PATH", "integer from 0 to 100,
/// in sweeps".
std::string form(const Option& option) {
  switch (option.type) {
    case OptionType::choice:
      return fmt::format("{}", fmt::join(option.words, "|"));
    case OptionType::integer:
      return expected_value(option).substr(std::string_view("an ").size()) +
             (option.unit.empty() ? "" : fmt::format(", in {}", option.unit));
    case OptionType::word_or_path:
      return fmt::format("{}|PATH", fmt::join(option.words, "|"));
    case OptionType::number:
      return "auto|NUMBER";
    case OptionType::text:
      return "TEXT";
    default:
      return "PATH";
  }
}

std::string default_text(const Option& option) {
  const std::string text = option.get(Config{});
  return text.empty() ? "none" : text;
}

/// A YAML scalar in double quotes.
std::string double_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// Calls work(section, options of the section) for every section and for every option without one
/// (section null), in the order of the table.
template <typename Work>
void for_each_section(const Work& work) {
  const auto table = options();
  for (auto first = table.begin(); first != table.end();) {
    const std::string_view name = section_of(*first);
    const auto last =
        name.empty() ? first + 1 : std::find_if(first, table.end(), [&](auto& option) {
          return section_of(option) != name;
        });
    work(name.empty() ? nullptr : find_section(name), std::span<const Option>(first, last));
    first = last;
  }
}

}  // namespace

std::string to_yaml(const Config& config) {
  std::string text;
  for_each_section([&](const Section* section, std::span<const Option> rows) {
    std::string_view indent = "";
    if (section != nullptr) {
      indent = "  ";
      text += fmt::format("# {}\n{}:\n", section->help, section->name);
    }
    for (const Option& option : rows) {
      const std::string value = option.get(config);
      const bool is_text = option.type != OptionType::choice &&
                           option.type != OptionType::integer && option.type != OptionType::number;
      const std::string note = is_text ? "" : fmt::format(" ({})", form(option));
      text += fmt::format("{}# {}{}\n", indent, option.help, note);
      text += fmt::format("{}{}{}: {}\n", indent, value.empty() ? "# " : "", last_word(option),
                          value.empty() ? form(option)
                          : is_text     ? double_quoted(value)
                                        : value);
    }
    text += '\n';
  });
  text.pop_back();
  return text;
}

nlohmann::ordered_json to_json(const Config& config) {
  nlohmann::ordered_json json;
  for (const Option& option : options()) {
    const std::string_view section = section_of(option);
    auto& parent = section.empty() ? json : json[std::string(section)];
    auto& place = parent[std::string(last_word(option))];
    const std::string value = option.get(config);
    if (option.type == OptionType::integer) {
      Index number = 0;
      std::from_chars(value.data(), value.data() + value.size(), number);
      place = number;
    } else if (option.type == OptionType::number && value != "auto") {
      double number = 0;
      std::from_chars(value.data(), value.data() + value.size(), number);
      place = number;
    } else if (option.words.data() == std::data(switch_words)) {
      place = value == switch_words[true];
    } else if (!value.empty()) {
      place = value;
    }
  }
  return json;
}

namespace {

std::string section_help(const Section& section) {
  std::string text = fmt::format("{}: {}\n", section.name, section.help);
  if (section.shorthand != nullptr) text += fmt::format("  in short: {}\n", section.shorthand_help);
  return text;
}

/// Long lists of words in lines that end after a |.
std::string broken_form(const Option& option) {
  constexpr std::size_t most = 60;
  std::string text = form(option);
  for (std::size_t begin = 0; text.size() - begin > most;) {
    const std::size_t bar = text.rfind('|', begin + most);
    if (bar == text.npos || bar <= begin) break;
    text.insert(bar + 1, "\n      ");
    begin = bar + 2;
  }
  return text;
}

std::string option_help(const Option& option) {
  return fmt::format("{}{}: {}   [{}]\n      {}\n", section_of(option).empty() ? "" : "  ",
                     option.key, broken_form(option), default_text(option), option.help);
}

}  // namespace

std::string help_text() {
  std::string text;
  for_each_section([&](const Section* section, std::span<const Option> rows) {
    if (section != nullptr) text += section_help(*section);
    for (const Option& option : rows) text += option_help(option);
    text += '\n';
  });
  text.pop_back();
  return text;
}

std::string help_text(std::string_view name) {
  if (const Option* const option = find_option(name); option != nullptr) {
    return option_help(*option);
  }
  const Section* const section = find_section(name);
  if (section == nullptr) return "";
  std::string text = section_help(*section);
  for (const Option& option : options()) {
    if (section_of(option) == name) text += option_help(option);
  }
  return text;
}

std::string reference_markdown() {
  std::string text =
      "<!-- configuration:begin -->\n| key | values | default | meaning |\n|---|---|---|---|\n";
  for (const Option& option : options()) {
    text += fmt::format(
        "| `{}` | {} | {} | {} |\n", option.key,
        option.type == OptionType::choice || option.type == OptionType::word_or_path
            ? fmt::format("`{}`{}", fmt::join(option.words, "`, `"),
                          option.type == OptionType::word_or_path ? ", PATH" : "")
        : option.type == OptionType::number ? "`auto`, NUMBER"
                                            : form(option),
        option.get(Config{}).empty() ? "none" : fmt::format("`{}`", default_text(option)),
        option.help);
  }
  text += '\n';
  for (const Section& section : sections()) {
    if (section.shorthand != nullptr)
      text += fmt::format("In short: {}.\n", section.shorthand_help);
  }
  return text + "<!-- configuration:end -->\n";
}

}  // namespace spsolve::config
