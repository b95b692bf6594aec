#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "apps/bench/environment.hpp"
#include "apps/bench/table.hpp"
#include "config/config.hpp"
#include "core/did_you_mean.hpp"
#include "core/error.hpp"
#include "team/team.hpp"

namespace spsolve {

/// The options that every subcommand of spbench takes.
struct BenchOptions {
  std::vector<std::string> matrices;
  std::vector<int> threads;
  int samples = 10;
  double sample_milliseconds = 2;
  std::filesystem::path csv;
  std::filesystem::path json;
};

/// Adds them to `command`; the default number of threads is this process's share of its host among
/// so many ranks. `options` must outlive the parsing.
void add_bench_options(CLI::App& command, BenchOptions& options, int ranks_on_host = 1);

/// Throws Error(resources) where they could not be written: to be called before anything is
/// sampled.
void require_folders(const BenchOptions& options);

/// Writes the files asked for, whole; to be called as often as there are new rows. `facts` go into
/// the JSON in addition to the rows.
void write_results(const BenchOptions& options, const bench::Environment& environment,
                   bench::Table table, const nlohmann::ordered_json& facts = {});

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
void add_convert_command(CLI::App& app, const bench::Environment& environment);
void add_eliminate_command(CLI::App& app, const bench::Environment& environment, Team& team);
void add_iterate_command(CLI::App& app, const bench::Environment& environment, Team& team);

/// A line a kernel: name, device, format, whether reproducible, sentence.
std::string kernel_list();

}  // namespace spsolve
