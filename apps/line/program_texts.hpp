#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The header of CLI11 takes seconds to compile.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spsolve {

// Manual pages and completions of a program, made from what CLI11 knows of it.

using OptionList = std::vector<const CLI::Option*>;

/// Options of `app` that begin with a dash, without those that are hidden.
OptionList dashed(const CLI::App& app);

/// The subcommands that have a name.
std::vector<const CLI::App*> subcommands(const CLI::App& app);

/// "-v", "--verbose"
std::vector<std::string> names_of(const CLI::Option& option);

/// A further part of a manual page.
struct ManualSection {
  std::string title;
  std::string text;  ///< shown as it is, lines kept
};

/// The values of a word of the command line, where CLI11 does not know them.
struct Choices {
  std::string option;              ///< such as "--help"
  std::vector<std::string> words;  ///< what may follow
  bool assignments = false;        ///< the words are KEY=VALUE; KEY= alone may be completed
};

/// A program as manual pages and completions show it.
struct Program {
  const CLI::App& app;
  std::string sentence;  ///< what it does, for the head of the manual page
  std::vector<ManualSection> sections;
  std::vector<Choices> words;
  /// The texts that --generate makes beyond man and bash, by name.
  std::vector<std::pair<std::string, std::function<std::string()>>> texts;
};

/// The manual page (section 1) in man(7)'s macros.
std::string manual_page(const Program& program);

/// The completion of bash, to be sourced, or put where bash looks for it.
std::string bash_completion(const Program& program);

/// Where the command line is "--generate WHAT": that text. Throws Error(input) for an unknown WHAT.
std::optional<std::string> generated(const Program& program, int argc, const char* const* argv);

}  // namespace spsolve
