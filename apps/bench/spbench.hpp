#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "apps/bench/contest.hpp"
#include "config/config.hpp"
#include "core/names/did_you_mean.hpp"
#include "team/team.hpp"

namespace spsolve {

/// The options that subcommands of spbench have in common.
struct BenchOptions {
  bench::Cell environment;
  std::vector<std::string> matrices;
  std::vector<int> threads{1};  ///< one number where a subcommand does not take a list
  bench::SamplingOptions sampling{5};
  std::string device = "host";
  bool share_gpus = false;
  std::filesystem::path csv, json;
};

/// Adds an option that takes several words or numbers with commas between.
template <typename Value>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<Value>& values,
                      const std::string& help) {
  return command.add_option(name, values, help)->delimiter(',')->capture_default_str();
}

/// Adds an option of one value within limits.
template <typename Value>
CLI::Option* add_number(CLI::App& command, const std::string& name, Value& value, double least,
                        double most, const std::string& help) {
  return command.add_option(name, value, help)
      ->check(CLI::Range(static_cast<Value>(least), static_cast<Value>(most)))
      ->capture_default_str();
}

/// The enumerator that a word of option `name` means; refuses another word, with a "did you mean".
template <typename Choice>
Choice choice_of(const std::string& name, const std::string& word) {
  const Words known = words_of(Choice{});
  const auto found = std::ranges::find(known, word);
  if (found != known.end()) return static_cast<Choice>(found - known.begin());
  throw CLI::ValidationError(name, fmt::format("'{}' is none of {}{}", word, fmt::join(known, ", "),
                                               did_you_mean(word, known)));
}

/// Adds an option whose word names an enumerator.
template <typename Choice>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Choice& choice,
                        const std::string& help) {
  const auto take = [name, &choice](const std::string& word) {
    choice = choice_of<Choice>(name, word);
  };
  return command.add_option_function<std::string>(name, take, help)
      ->default_str(std::string(spsolve::name(choice)));
}

/// Adds an option of such words with commas between. Where no enumerator is called none, that word
/// stands for no enumerators.
template <typename Choice>
CLI::Option* add_choices(CLI::App& command, const std::string& name, std::vector<Choice>& choices,
                         const std::string& help) {
  const auto take = [name, &choices](const std::vector<std::string>& words) {
    choices.clear();
    const bool means_none = std::ranges::count(words_of(Choice{}), "none") == 0;
    for (const std::string& word : words) {
      if (word != "none" || !means_none) choices.push_back(choice_of<Choice>(name, word));
    }
  };
  std::vector<std::string_view> words;
  for (const Choice choice : choices) words.push_back(spsolve::name(choice));
  return command.add_option_function<std::vector<std::string>>(name, take, help)
      ->delimiter(',')
      ->default_str(fmt::format("{}", fmt::join(words, ",")));
}

/// Adds --matrix, whose names may have commas between; it may be repeated.
CLI::Option* add_matrices(CLI::App& command, BenchOptions& options, const std::string& more = "");

/// Adds the options that all subcommands have: --threads, --samples, --csv and --json, with words
/// for the first two.
void add_common_options(CLI::App& command, BenchOptions& options, const std::string& threads,
                        const std::string& samples, bool several_threads = false);

/// Adds these, --matrix and --sample-ms for work that is shorter than a clock can tell. The default
/// number of threads is this process's share of its host among so many ranks.
void add_short_work_options(CLI::App& command, BenchOptions& options, int ranks_on_host = 1);

/// Adds --device, one of these words, and --share-gpus.
void add_device_options(CLI::App& command, BenchOptions& options,
                        const std::vector<std::string>& words, const std::string& help);

/// "Columns of CSV and JSON", with their help.
std::string help_of_files(bench::Columns columns);

/// The results of a subcommand: what rank 0 prints, and the files asked for.
class Results {
 public:
  /// Throws Error(resources) on every rank where the files could not be written: to be made before
  /// anything is sampled. Collective.
  Results(const BenchOptions& options, bench::Columns columns, Team& team);

  /// What goes into the JSON in addition to the rows.
  std::function<nlohmann::ordered_json(std::span<const bench::Row>)> facts;

  /// The environment, then the text, on rank 0.
  void begin(const std::string& text = "") const;

  /// Prints title and rows, and writes the files with all rows so far, whole. Collective.
  void add(const std::string& title, std::span<const bench::Row> rows);

  std::span<const bench::Row> rows() const { return rows_; }

 private:
  const BenchOptions& options_;
  bench::Columns columns_;
  Team& team_;
  std::vector<bench::Row> rows_;
};

// The subcommands: each adds itself to `app` with a callback that does the work.
void add_multiply_command(CLI::App& app, const bench::Cell& environment, Team& team);
void add_convert_command(CLI::App& app, const bench::Cell& environment, Team& team);
void add_eliminate_command(CLI::App& app, const bench::Cell& environment, Team& team);
void add_iterate_command(CLI::App& app, const bench::Cell& environment, Team& team);

/// A line a kernel: name, device, format, whether reproducible, sentence.
std::string kernel_list();

}  // namespace spsolve
