#include "apps/line/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "config/schema.hpp"
#include "core/build_info.hpp"
#include "core/names/did_you_mean.hpp"
#include "core/plain_text.hpp"
#include "task/help.hpp"

namespace spsolve {

namespace {

/// Why the first text that was lost is lost, a value of errno; 0: none is.
int why_output_is_lost = 0;

}  // namespace

void print_out(std::string_view text) {
  std::cout << without_controls(text) << std::flush;
  if (!std::cout && why_output_is_lost == 0) why_output_is_lost = errno;
}

void check_output() {
  if (why_output_is_lost == 0) return;
  fail(ExitCode::resources,
       "the text cannot be written to the standard output ({}); no other file is affected",
       std::strerror(why_output_is_lost));
}

void add_common_flags(CLI::App& app) {
  app.set_help_flag("-h,--help", "print this help; --help TOPIC prints the part on TOPIC");
  app.set_version_flag("--version", fmt::format("{} {}", app.get_name(), build_info::version),
                       "print the version");
}

namespace {

/// How the configuration's keys that end in `option`, a word with dashes, or are meant by it, are
/// set; "" where there is none, or where the program takes no keys.
std::string as_key(const CLI::App& app, std::string_view option) {
  if (app.get_option_no_throw("--set") == nullptr || !option.starts_with('-')) return "";
  std::string wanted(option.substr(std::min(option.find_first_not_of('-'), option.size())));
  std::ranges::replace(wanted, '-', '_');
  const std::string meant = meant_key(wanted);
  if (meant == "device") return "; did you mean '--device cuda'?";
  if (meant == "right_hand_side") {
    return "; a right-hand side is named after the matrix, such as spsolve A.mtx b.mtx";
  }
  for (const CLI::Option* known : dashed(app)) {
    if (!meant.empty() && known->check_lname(meant.substr(meant.find('.') + 1))) {
      return fmt::format("; did you mean '{}'?", names_of(*known).back());
    }
  }
  if (find_option(meant) != nullptr) wanted = meant;
  if (wanted == "matrix" || meant == "matrix")
    return "; a matrix is named by itself, such as spsolve A.mtx";
  std::vector<std::string> keys;
  for (const Option& known : options()) {
    if (known.key != wanted && !known.key.ends_with("." + wanted)) continue;
    keys.push_back(fmt::format("--set {}=VALUE", known.key));
  }
  return keys.empty()
             ? ""
             : fmt::format("; as a key of the configuration: {}", fmt::join(keys, ", or "));
}

/// The problem of a command line, in a sentence: about the first word that nobody takes, or else
/// CLI11's.
std::string told(const CLI::App& app, const CLI::ParseError& why) {
  const CLI::App* level = &app;  // the subcommand that was chosen
  for (const CLI::App* sub : app.get_subcommands()) level = sub;
  std::vector<std::string> names;
  for (const CLI::App* place : {&app, level}) {
    for (const CLI::Option* option : dashed(*place)) {
      for (const std::string& name : names_of(*option)) names.push_back(name);
    }
  }
  for (const CLI::App* sub : subcommands(app)) names.push_back(sub->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (std::string& word : app.remaining(true)) {
    if (word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    const std::string key = as_key(app, name);
    return fmt::format("'{}' is not {}{}", printable(word),
                       name.starts_with('-') ? "an option" : "expected here",
                       key.empty() ? did_you_mean(name, known) : key);
  }
  return why.what();
}

}  // namespace

ExitCode parsing_ended(const CLI::App& app, const CLI::ParseError& why, bool speaks) {
  std::ostringstream out;
  const bool in_order = app.exit(why, out, out) == 0;
  if (!speaks) return in_order ? ExitCode::solved : ExitCode::input;
  if (in_order) {
    print_out(out.str());
    return ExitCode::solved;
  }
  std::cerr << fmt::format("{}: {}\nRun with --help for more information.\n", app.get_name(),
                           told(app, why))
            << std::flush;
  return ExitCode::input;
}

std::string subcommand_help(const CLI::App& app, std::string_view topic) {
  for (const CLI::App* sub : subcommands(app)) {
    if (sub->get_name() == topic) return sub->help(app.get_name());
  }
  return "";
}

std::optional<std::string> topic_asked(int argc, const char* const* argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string_view word = argv[i];
    if ((word == "--help" || word == "-h") && argv[i + 1][0] != '-') return argv[i + 1];
  }
  return std::nullopt;
}

std::optional<std::string> asked_for(const Program& program, int argc, const char* const* argv) {
  if (auto text = generated(program, argc, argv)) return text;
  const auto topic = topic_asked(argc, argv);
  if (!topic) return std::nullopt;
  std::string text = subcommand_help(program.app, *topic);
  return text.empty() ? help_on(*topic) : text;
}

}  // namespace spsolve
