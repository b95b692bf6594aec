#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apps/line/program_texts.hpp"
#include "core/error.hpp"

namespace CLI {
class ParseError;
}  // namespace CLI

namespace spsolve {

// The common part of all programs about the standard output and their own command line: help by
// topic, and the message about a wrong one.

/// Prints `text` to the standard output, at once. Lost output shows in check_output(), so that a
/// program goes on to the files it was asked for.
void print_out(std::string_view text);

/// Throws Error(resources) where something that was printed is lost, on a full disk for example;
/// every program calls it last.
void check_output();

/// --help and --version, the same for all programs.
void add_common_flags(CLI::App& app);

/// How a program ends whose command line asks CLI11 for a text (help, version) or is wrong; prints
/// that text, or tells what is wrong, where this process `speaks`.
ExitCode parsing_ended(const CLI::App& app, const CLI::ParseError& why, bool speaks = true);

/// The help of a subcommand by name, or "".
std::string subcommand_help(const CLI::App& app, std::string_view topic);

/// The word after --help or -h, where there is one.
std::optional<std::string> topic_asked(int argc, const char* const* argv);

/// generated(), or else the help on the topic_asked(), a subcommand's or of the whole project; for
/// programs of subcommands.
std::optional<std::string> asked_for(const Program& program, int argc, const char* const* argv);

}  // namespace spsolve
