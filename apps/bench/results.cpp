// The options and results that subcommands share.

#include "apps/bench/spbench.hpp"
#include "apps/line/command_line.hpp"
#include "io/files/atomic_file.hpp"
#include "process/system.hpp"

namespace spsolve {

void add_file_options(CLI::App& command, BenchOptions& options) {
  command.add_option("--csv", options.csv, "file for the rows as CSV");
  command.add_option("--json", options.json, "file for environment and rows as JSON");
}

void add_sampling_options(CLI::App& command, BenchOptions& options, int ranks_on_host) {
  options.threads = {choose_threads(0, ranks_on_host)};
  command.add_option("--matrix", options.matrices, "Matrix Market file or generator; repeatable")
      ->required();
  add_list(command, "--threads", options.threads, "thread counts, such as 1,2,4")
      ->check(CLI::Range(1, 4096));
  command.add_option("--samples", options.samples, "samples of each row")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      .add_option("--sample-ms", options.sample_milliseconds,
                  "shortest sample in milliseconds; what is shorter is repeated within one")
      ->check(CLI::Range(0.0, 60000.0))
      ->capture_default_str();
  add_file_options(command, options);
}

void add_round_options(CLI::App& command, BenchOptions& options, const std::string& threads,
                       const std::string& rounds) {
  command.add_option("--device", options.device, "where own methods run: host or cuda")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", options.threads_of_a_rank, threads)
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command.add_option("--samples", options.rounds, rounds)
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_file_options(command, options);
}

std::string help_of_files(bench::Columns columns) {
  return "Columns of CSV and JSON (in CSV followed by the environment):\n" +
         bench::help_of(columns);
}

Results::Results(const BenchOptions& options, const bench::Environment& environment,
                 bench::Columns columns, Team& team)
    : options_(options), environment_(environment), columns_(columns), team_(team) {
  together(team, [&] {
    if (team.rank() != 0) return;
    for (const auto& file : {options.csv, options.json}) io::require_folder_of(file);
  });
}

void Results::begin(const std::string& text) const {
  if (team_.rank() == 0) print_out(to_text(environment_) + text);
}

void Results::add(const std::string& title, std::span<const bench::Row> rows) {
  together(team_, [&] {
    if (team_.rank() != 0) return;
    print_out(title + bench::to_text(columns_, rows));
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    if (!options_.json.empty()) {
      nlohmann::ordered_json json;
      json["environment"] = to_json(environment_);
      if (facts) json.update(facts(rows_));
      json["rows"] = bench::to_json(columns_, rows_);
      io::write_text(options_.json, json.dump(2) + "\n");
    }
    if (!options_.csv.empty()) {
      io::write_text(options_.csv, bench::to_csv(columns_, rows_, to_json(environment_)));
    }
  });
}

}  // namespace spsolve
