#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/error.hpp"

namespace spsolve {

// What all programs do about the standard output and about their own command line: help by topic,
// manual pages and completions, made from what CLI11 knows of it.

/// Prints `text` to the standard output, at once. What is lost shows in check_output(), so that a
/// program goes on to the files it was asked for.
void print_out(std::string_view text);

/// Throws Error(resources) where something that was printed is lost, on a full disk for example;
/// every program calls it last.
void check_output();

/// A further part of a manual page.
struct ManualSection {
  std::string title;
  std::string text;  ///< shown as it is, lines kept
};

/// What a word of the command line may be, where CLI11 does not know.
struct Choices {
  std::string option;              ///< such as "--help"
  std::vector<std::string> words;  ///< what may follow
  bool assignments = false;        ///< the words are KEY=VALUE; KEY= alone may be completed
};

/// A program as manual pages and completions show it. `app` must outlive it.
struct Program {
  const CLI::App& app;
  std::string sentence;  ///< what it does, for the head of the manual page
  std::vector<ManualSection> sections;
  std::vector<Choices> words;
  /// What --generate makes beyond man and bash, by name.
  std::vector<std::pair<std::string, std::function<std::string()>>> texts;
};

/// --help and --version, the same for all programs.
void add_common_flags(CLI::App& app);

/// How a program ends whose command line asks CLI11 for a text (help, version) or is wrong; prints
/// that text, or tells what is wrong, where this process `speaks`.
ExitCode parsing_ended(const CLI::App& app, const CLI::ParseError& why, bool speaks = true);

/// The manual page (section 1) in man(7)'s macros.
std::string manual_page(const Program& program);

/// The completion of bash, to be sourced, or put where bash looks for it.
std::string bash_completion(const Program& program);

/// The help of a subcommand by name, or "".
std::string subcommand_help(const CLI::App& app, std::string_view topic);

/// The word behind --help or -h, where there is one.
std::optional<std::string> topic_asked(int argc, const char* const* argv);

/// Where the command line is "--generate WHAT": that text. Throws Error(input) for an unknown WHAT.
std::optional<std::string> generated(const Program& program, int argc, const char* const* argv);

/// generated(), or else the help on the topic_asked(), a subcommand's or of the whole project; for
/// programs of subcommands.
std::optional<std::string> asked_for(const Program& program, int argc, const char* const* argv);

}  // namespace spsolve
