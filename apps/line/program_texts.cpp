#include "apps/line/program_texts.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "config/schema.hpp"
#include "core/build_info.hpp"
#include "core/error.hpp"

namespace spsolve {

OptionList dashed(const CLI::App& app) {
  OptionList options = app.get_options([](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty();
  });
  return options;
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

namespace {

OptionList positionals(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// The values that an option's check allows, as its type name "TEXT:{float,double}" tells.
std::vector<std::string> allowed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t first = type.find('{'), last = type.rfind('}');
  if (first == type.npos || last == type.npos) return {};
  return CLI::detail::split(type.substr(first + 1, last - first - 1), ',');
}

std::string value_name(const CLI::Option& option) {
  const auto values = allowed_values(option);
  if (!values.empty()) return fmt::format("{}", fmt::join(values, "|"));
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

// --- man

/// `text` for man: what roff would take as its own is escaped.
std::string roff(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    begins_line = c == '\n';
  }
  return result;
}

/// Long lines broken at spaces; their continuations are indented as the line was. The width fits a
/// terminal of 80 columns with man's own indentation.
std::string wrapped(std::string_view text) {
  constexpr std::size_t width = 72;
  std::string result;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
    line.remove_prefix(indent.size());
    result += indent;
    while (line.size() + indent.size() > width) {
      std::size_t space = line.rfind(' ', width - indent.size());
      // A long list of alternatives is broken after one of them.
      const std::size_t bar = line.rfind('|', width - indent.size() - 1);
      if (space == line.npos && bar != line.npos) {
        result += fmt::format("{}\n{}", line.substr(0, bar + 1), indent);
        line.remove_prefix(bar + 1);
        continue;
      }
      if (space == line.npos) space = line.find(' ');  // a long word
      if (space == line.npos) break;
      result += fmt::format("{}\n{}", line.substr(0, space), indent);
      line.remove_prefix(space + 1);
    }
    result += line;
    result += '\n';
  }
  return result;
}

std::string roff_options(const CLI::App& app, bool with_help) {
  std::string text;
  for (const CLI::Option* option : positionals(app)) {
    text += fmt::format(".TP\n.I {}\n{}\n", roff(option->get_name(true)),
                        roff(option->get_description()));
  }
  for (const CLI::Option* option : dashed(app)) {
    if (option == app.get_help_ptr() && !with_help) continue;
    const std::string names = fmt::format("{}", fmt::join(names_of(*option), ", "));
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(names),
                        takes_value(*option) ? " \\fI" + roff(value_name(*option)) + "\\fR" : "",
                        roff(option->get_description()));
  }
  return text;
}

std::string synopsis(const CLI::App& app, const std::string& name) {
  std::string text = fmt::format(".B {}\n[\\fIoptions\\fR]", name);
  for (const CLI::Option* option : positionals(app)) {
    text += fmt::format(" \\fI{}\\fR", roff(option->get_name(true)));
  }
  return text + "\n";
}

// --- completions

/// The words that may be completed at one level of the command line: of the program or of a
/// subcommand.
struct CompletionLevel {
  std::string name;
  std::vector<std::string> words;                       // options and subcommands
  std::vector<std::pair<std::string, Choices>> values;  // option names, what may follow
  std::vector<std::string> files;                       // options that take a file or any text
};

CompletionLevel level_of(const CLI::App& app, const std::string& name,
                         const std::vector<Choices>& known) {
  CompletionLevel level{name, {}, {}, {}};
  for (const CLI::Option* option : dashed(app)) {
    const auto names = names_of(*option);
    level.words.insert(level.words.end(), names.begin(), names.end());
    Choices words{"", allowed_values(*option), false};
    for (const Choices& more : known) {
      if (std::ranges::find(names, more.option) != names.end()) words = more;
    }
    const std::string pattern = fmt::format("{}", fmt::join(names, "|"));
    if (!words.words.empty()) {
      level.values.emplace_back(pattern, words);
    } else if (takes_value(*option)) {
      level.files.push_back(pattern);
    }
  }
  for (const CLI::App* sub : subcommands(app)) level.words.push_back(sub->get_name());
  return level;
}

std::vector<CompletionLevel> levels_of(const Program& program) {
  std::vector<CompletionLevel> levels{level_of(program.app, "", program.words)};
  for (const CLI::App* sub : subcommands(program.app)) {
    levels.push_back(level_of(*sub, sub->get_name(), program.words));
  }
  return levels;
}

/// The values of each KEY of words "KEY=VALUE", as "KEY) choices='a b' ;;" lines.
std::string cases_of_keys(const Choices& words) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const std::string& word : words.words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (keys.empty() || keys.back().first != key) keys.emplace_back(key, "");
    const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    if (!value.empty()) keys.back().second += (keys.back().second.empty() ? "" : " ") + value;
  }
  std::string text;
  for (const auto& [key, values] : keys) {
    if (!values.empty()) text += fmt::format("      {}) choices='{}' ;;\n", key, values);
  }
  return text;
}

std::string keys_of(const Choices& words) {
  std::vector<std::string> keys;
  for (const std::string& word : words.words) {
    const std::string key = word.substr(0, word.find('=')) + "=";
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  }
  return fmt::format("{}", fmt::join(keys, " "));
}

const Choices* assignments_of(const Program& program) {
  const auto found = std::ranges::find_if(program.words, &Choices::assignments);
  return found == program.words.end() ? nullptr : &*found;
}

/// A shell's case on the level and the word before: sets `words`, or `files` for a file's name.
std::string cases_of_levels(const Program& program) {
  std::string text;
  for (const CompletionLevel& level : levels_of(program)) {
    for (const auto& [pattern, words] : level.values) {
      if (words.assignments) continue;
      for (const std::string& name : CLI::detail::split(pattern, '|')) {
        text += fmt::format("    '{} {}') choices='{}' ;;\n", level.name, name,
                            fmt::join(words.words, " "));
      }
    }
    for (const std::string& pattern : level.files) {
      for (const std::string& name : CLI::detail::split(pattern, '|')) {
        text += fmt::format("    '{} {}') files=yes ;;\n", level.name, name);
      }
    }
    text += fmt::format("    '{} '*) choices='{}'; files=yes ;;\n", level.name,
                        fmt::join(level.words, " "));
  }
  return text;
}

std::string subcommand_pattern(const Program& program) {
  std::vector<std::string> names;
  for (const CLI::App* sub : subcommands(program.app)) names.push_back(sub->get_name());
  return names.empty() ? "' '" : fmt::format("{}", fmt::join(names, "|"));
}

}  // namespace

std::string manual_page(const Program& program) {
  const std::string name = program.app.get_name();
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string text = fmt::format(".TH {} 1 \"\" \"spsolve {}\"\n", title, build_info::version);
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", name, roff(program.sentence));
  const auto subs = subcommands(program.app);
  if (subs.empty()) text += synopsis(program.app, name);
  for (std::size_t i = 0; i < subs.size(); ++i) {
    text += (i == 0 ? "" : ".br\n") + synopsis(*subs[i], name + " " + subs[i]->get_name());
  }
  // A description of several lines is laid out.
  const std::string description = roff(program.app.get_description());
  const bool laid_out = description.find('\n') != description.npos;
  text += fmt::format(".SH DESCRIPTION\n{}{}\n{}", laid_out ? ".nf\n" : "", description,
                      laid_out ? ".fi\n" : "");
  text += ".SH OPTIONS\n" + roff_options(program.app, true);
  for (const CLI::App* sub : subs) {
    text +=
        fmt::format(".SH {} {}\n{}\n", title, roff(sub->get_name()), roff(sub->get_description()));
    text += roff_options(*sub, false);
  }
  for (const ManualSection& section : program.sections) {
    text += fmt::format(".SH {}\n.nf\n{}.fi\n", roff(section.title), roff(wrapped(section.text)));
  }
  std::vector<std::string> others;
  for (const std::string other : {"spbench", "spmtx", "spsolve"}) {
    if (other != name) others.push_back(fmt::format("\n.BR {} (1)", other));
  }
  return text + fmt::format(".SH SEE ALSO{}\n", fmt::join(others, ","));
}

std::string bash_completion(const Program& program) {
  const std::string name = program.app.get_name();
  std::string text = fmt::format(R"(# Completion of {0} for bash; made by {0} --generate bash.
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command='' choices='' files='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {1}) command=$word ;; esac
  done
)",
                                 name, subcommand_pattern(program));
  if (const Choices* const set = assignments_of(program); set != nullptr) {
    // bash splits KEY=VALUE into three words.
    text += fmt::format(R"(  local key=''
  if [ "$current" = = ]; then key=$previous; current=''; fi
  if [ "$previous" = = ]; then key=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if [ -n "$key" ]; then
    case $key in
{}      *) COMPREPLY=($(compgen -f -- "$current")); return ;;
    esac
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
    return
  fi
  if [ "$previous" = {} ]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    compopt -o nospace 2>/dev/null
    return
  fi
)",
                        cases_of_keys(*set), set->option, keys_of(*set));
  }
  return text + fmt::format(R"(  case "$command $previous" in
{1}  esac
  COMPREPLY=()
  if [ -n "$choices" ]; then COMPREPLY=($(compgen -W "$choices" -- "$current")); fi
  if [ -n "$files" ] && [[ $current != -* ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _{0} {0}
)",
                            name, cases_of_levels(program));
}

std::optional<std::string> generated(const Program& program, int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "--generate") return std::nullopt;
  const std::string_view what = argc == 3 ? argv[2] : "";
  if (what == "man") return manual_page(program);
  if (what == "bash") return bash_completion(program);
  std::vector<std::string> names{"man", "bash"};
  for (const auto& [name, make] : program.texts) {
    if (what == name) return make();
    names.push_back(name);
  }
  fail(ExitCode::input, "--generate takes one of {}, not '{}'", fmt::join(names, ", "), what);
}

}  // namespace spsolve
