#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "config/config.hpp"

namespace spsolve::inline config {

enum class OptionType {
  text,
  input_path,   ///< a file that is read
  output_path,  ///< a file that is written; "" is allowed and means none
  integer,
  choice,
  number,        ///< a number, or auto
  word_or_path,  ///< one of a few words, or a file that is read
};

/// One row of the table of options. A new option is one row here and one member of Config.
struct Option {
  std::string_view key;  ///< dotted, such as "solve.method"
  OptionType type;
  Words words;    ///< a choice: what is allowed; a word_or_path: what is no file
  Index minimum;  ///< an integer: the range, both ends included
  Index maximum;
  std::string_view unit;  ///< of an integer, or ""
  std::string_view help;  ///< one sentence
  /// The value in `config` as text, "" for none.
  std::string (*get)(const Config& config);
  /// Stores a text that option_problem() finds nothing wrong with.
  void (*set)(Config& config, std::string_view text);
  /// The problem of a text: one sentence of what is wrong with it beyond its type, or "". May be
  /// null.
  std::string (*check)(std::string_view text);
  Words endings = {};  ///< a word_or_path: of names of files; any text with a '/' is one as well
};

/// A value for an option, as text.
struct Setting {
  std::string_view key;
  std::string value;
};

/// A part of the configuration: the options whose key begins with "name.".
struct Section {
  std::string_view name;
  std::string_view help;
  /// The settings that one scalar in place of the section means; null where that is not allowed.
  std::vector<Setting> (*shorthand)(std::string_view text);
  std::string_view shorthand_help;  ///< the shorthand in a few words
};

/// The tables, in the order in which they are printed.
std::span<const Option> options();
std::span<const Section> sections();

/// The row of `key`, or null.
const Option* find_option(std::string_view key);
const Section* find_section(std::string_view name);

/// The key, or section, that is meant by a word that others use for it, such as "rhs", "gpu" or
/// "tol", whatever section it is
/// put in; "" for other words.
std::string meant_key(std::string_view word);

/// The value of a choice that is written so, in letters of either case, or called so by others,
/// such as "cholesky" or "gpu"; "" for other words.
std::string_view value_called(const Option& option, std::string_view text);

/// The values that an option takes, after "must be": "an integer from 0 to 100".
std::string expected_value(const Option& option);

/// The text as the option's words have it: on, off, true, false, yes and no, in letters of either
/// case, are all understood where some two of them are.
std::string understood(const Option& option, std::string_view text);

/// One sentence of what is wrong with `text` as a value of `option`, or "". `quoted` says that the
/// text stood in quotes, as no number does.
std::string option_problem(const Option& option, std::string_view text, bool quoted = false);

/// The text as it may stand in a message: control characters escaped, at most 60 characters.
std::string printable(std::string_view text);

/// A commented configuration file that load_config() reads back as the same Config.
std::string to_yaml(const Config& config);

/// All options with their values; what is none is null. For reports.
nlohmann::ordered_json to_json(const Config& config);

/// The table for a terminal.
std::string help_text();

/// The part of help_text() on one section ("solve") or one option ("solve.method", "threads"), or
/// "" where there is none of that name.
std::string help_text(std::string_view name);

/// The JSON Schema (draft 2020-12) of a configuration. It refuses what load_config() refuses,
/// except what only the program knows: files, sizes of generators and names of kernels.
nlohmann::ordered_json configuration_schema();

/// The schema of what to_json(Config) makes, as it stands in a report: every key, null for none.
nlohmann::ordered_json configuration_values_schema();

/// The table in Markdown with the marker lines `<!-- configuration:begin -->` and
/// `<!-- configuration:end -->` around it, for docs/configuration.md.
std::string reference_markdown();

}  // namespace spsolve::config
