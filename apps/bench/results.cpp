// The options and results that subcommands share.

#include "apps/bench/environment.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/line/command_line.hpp"
#include "io/files/atomic_file.hpp"
#include "process/system.hpp"

namespace spsolve {

CLI::Option* add_matrices(CLI::App& command, BenchOptions& options, const std::string& more) {
  return command
      .add_option(
          "--matrix", options.matrices,
          fmt::format("Matrix Market files or generators, with commas between; repeatable{}", more))
      ->delimiter(',');
}

void add_common_options(CLI::App& command, BenchOptions& options, const std::string& threads,
                        const std::string& samples, bool several_threads) {
  if (several_threads) {
    add_list(command, "--threads", options.threads, threads)->check(CLI::Range(1, 4096));
  } else {
    add_number(command, "--threads", options.threads.front(), 1, 4096, threads);
  }
  add_number(command, "--samples", options.sampling.samples, 1, 1000000, samples);
  command.add_option("--csv", options.csv, "file for the rows as CSV");
  command.add_option("--json", options.json, "file for environment and rows as JSON");
}

void add_short_work_options(CLI::App& command, BenchOptions& options, int ranks_on_host) {
  options.threads = {choose_threads(0, ranks_on_host)};
  options.sampling.samples = 10;
  add_matrices(command, options)->required();
  add_common_options(command, options, "thread counts, such as 1,2,4", "samples of each row", true);
  command
      .add_option_function<double>(
          "--sample-ms", [&options](double ms) { options.sampling.sample_seconds = 1e-3 * ms; },
          "shortest sample in milliseconds; what is shorter is repeated within one")
      ->check(CLI::Range(0.0, 60000.0))
      ->default_str("2");
}

void add_device_options(CLI::App& command, BenchOptions& options,
                        const std::vector<std::string>& words, const std::string& help) {
  command.add_option("--device", options.device, help)
      ->check(CLI::IsMember(words))
      ->capture_default_str();
  command.add_flag("--share-gpus", options.share_gpus,
                   "several ranks: let them compute on one GPU");
}

std::string help_of_files(bench::Columns columns) {
  return "Columns of CSV and JSON (in CSV followed by the environment):\n" +
         bench::help_of(columns);
}

Results::Results(const BenchOptions& options, bench::Columns columns, Team& team)
    : options_(options), columns_(columns), team_(team) {
  together(team, [&] {
    if (team.rank() != 0) return;
    for (const auto& file : {options.csv, options.json}) io::require_folder_of(file);
  });
}

void Results::begin(const std::string& text) const {
  if (team_.rank() == 0) print_out(bench::text_of_environment(options_.environment) + text);
}

void Results::add(const std::string& title, std::span<const bench::Row> rows) {
  together(team_, [&] {
    if (team_.rank() != 0) return;
    print_out(title + bench::to_text(columns_, rows));
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    if (!options_.json.empty()) {
      nlohmann::ordered_json json;
      json["environment"] = options_.environment;
      if (facts) json.update(facts(rows_));
      json["rows"] = bench::to_json(columns_, rows_);
      io::write_text(options_.json, json.dump(2) + "\n");
    }
    if (!options_.csv.empty()) {
      io::write_text(options_.csv, bench::to_csv(columns_, rows_, options_.environment));
    }
  });
}

}  // namespace spsolve
