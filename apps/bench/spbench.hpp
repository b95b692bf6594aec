#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "apps/bench/contest.hpp"
#include "apps/bench/environment.hpp"
#include "config/config.hpp"
#include "core/did_you_mean.hpp"
#include "core/error.hpp"
#include "team/team.hpp"

namespace spsolve {

/// Options that several subcommands of spbench take.
struct BenchOptions {
  std::vector<std::string> matrices;
  std::vector<int> threads{1};
  int samples = 10;
  double sample_milliseconds = 2;
  int rounds = 5;             ///< of subcommands whose samples are rounds
  int threads_of_a_rank = 1;  ///< of subcommands that have one number of threads
  std::string device = "host";
  bool share_gpus = false;
  std::filesystem::path csv;
  std::filesystem::path json;
};

/// Adds --csv and --json.
void add_file_options(CLI::App& command, BenchOptions& options);

/// Adds the options of subcommands that sample short work: --matrix, --threads as a list,
/// --samples,
/// --sample-ms and files. The default number of threads is this process's share of its host among
/// so many ranks.
void add_sampling_options(CLI::App& command, BenchOptions& options, int ranks_on_host = 1);

/// Adds the options of subcommands whose contenders run once a round: --device, --threads,
/// --samples and files, with words for the second and the third.
void add_round_options(CLI::App& command, BenchOptions& options, const std::string& threads,
                       const std::string& rounds);

/// Adds an option that takes several words or numbers with commas between.
template <typename Value>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<Value>& values,
                      const std::string& help) {
  return command.add_option(name, values, help)->delimiter(',')->capture_default_str();
}

/// "Columns of CSV and JSON", with their help.
std::string help_of_files(bench::Columns columns);

/// The results of a subcommand: what rank 0 prints, and the files asked for.
class Results {
 public:
  /// Throws Error(resources) on every rank where the files could not be written: to be made before
  /// anything is sampled. Collective.
  Results(const BenchOptions& options, const bench::Environment& environment,
          bench::Columns columns, Team& team);

  /// What goes into the JSON in addition to the rows.
  std::function<nlohmann::ordered_json(std::span<const bench::Row>)> facts;

  /// The environment, then the text, on rank 0.
  void begin(const std::string& text = "") const;

  /// Prints title and rows, and writes the files with all rows so far, whole. Collective.
  void add(const std::string& title, std::span<const bench::Row> rows);

  std::span<const bench::Row> rows() const { return rows_; }

 private:
  const BenchOptions& options_;
  const bench::Environment& environment_;
  bench::Columns columns_;
  Team& team_;
  std::vector<bench::Row> rows_;
};

/// The enumerator that `word` names; Error(input) with a "did you mean" where there is none.
template <typename Choice>
Choice choice_of(const std::string& word) {
  const Words words = words_of(Choice{});
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == word) return static_cast<Choice>(k);
  }
  fail(ExitCode::input, "'{}' is none of {}{}", word, fmt::join(words, ", "),
       did_you_mean(word, words));
}

/// The enumerators that several words name, likewise.
template <typename Choice>
std::vector<Choice> choices_of(const std::vector<std::string>& words) {
  std::vector<Choice> choices;
  for (const std::string& word : words) choices.push_back(choice_of<Choice>(word));
  return choices;
}

// The subcommands: each adds itself to `app` with a callback that does the work.
void add_multiply_command(CLI::App& app, const bench::Environment& environment, Team& team);
void add_convert_command(CLI::App& app, const bench::Environment& environment, Team& team);
void add_eliminate_command(CLI::App& app, const bench::Environment& environment, Team& team);
void add_iterate_command(CLI::App& app, const bench::Environment& environment, Team& team);

/// A line a kernel: name, device, format, whether reproducible, sentence.
std::string kernel_list();

}  // namespace spsolve
