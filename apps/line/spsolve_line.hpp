#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/line/command_line.hpp"
#include "config/config.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"

namespace spsolve {

/// The request to spsolve on its command line.
struct SpsolveLine {
  std::vector<std::string> files;   ///< a configuration, or a matrix and its right-hand side
  std::string config;               ///< of --config
  std::vector<std::string> chosen;  ///< the values of short_options(), "" where not given
  std::vector<std::string> overrides;
  bool multiply = false;
  bool print_config = false;
  bool check = false;
  double check_seconds = 2;  ///< that a check may read entries for
  bool dry_run = false;
  int ranks = 0;  ///< that a dry run looks ahead to; 0: those that there are
  bool quiet = false;
  bool verbose = false;
  std::string typed;  ///< all of it, as a shell would take it
  Timer begun;        ///< since the program began

  /// The configuration's file; "" where the command line stands for one.
  std::string configuration() const;

  /// The name of the configuration in messages.
  std::string name() const;
};

/// Options that stand for keys of the configuration.
struct ShortOption {
  const char* flags;
  std::string_view key;          ///< "" where there is none for task: solve
  std::string_view product_key;  ///< of task: multiply, where it is another one
  const char* type;
  const char* help;
};
std::span<const ShortOption> short_options();

/// Reads the words of a command line.
class SpsolveParser {
 public:
  /// Words that are read go into `line`.
  explicit SpsolveParser(SpsolveLine& line);
  ~SpsolveParser();

  /// Where the command line is "--generate WHAT": that text. Throws Error(input) for an unknown
  /// WHAT.
  std::optional<std::string> generated(int argc, const char* const* argv) const;

  /// Where the command line asks for a text (help, version) or is wrong: how the program ends. Says
  /// that text, or what is wrong, where this process `speaks`. Throws Error(input) for a topic of
  /// help that is not known.
  std::optional<ExitCode> parse(int argc, const char* const* argv, bool speaks);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// The words of a command line, quoted for a shell where that needs it.
std::string shell_words(int argc, const char* const* argv);

/// The configuration that the line asks for, read and checked. Throws Error(input).
Config load(const SpsolveLine& line);

}  // namespace spsolve
