// spbench convert.

#include <iostream>

#include <fmt/format.h>

#include "apps/bench/convert_bench.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/line/command_line.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "plan/reading_room.hpp"

namespace spsolve {

namespace {

struct ConvertOptions {
  BenchOptions common;
  double most_steps = 2e10;
};

/// The list of entries that conversions start from: that of the file, or all of a generated matrix
/// row by row.
Coo load_entries(const std::string& name) {
  constexpr BytesBeside list_and_conversion{8, 40};
  require_room_to_read(name, list_and_conversion);
  if (!means_generator(name)) return read_matrix_market(name);
  const Csr<double> matrix = load_matrix(name);
  Coo entries;
  entries.rows = matrix.rows;
  entries.columns = matrix.columns;
  entries.column.assign(matrix.column_indices.begin(), matrix.column_indices.end());
  entries.value = matrix.values;
  entries.row.reserve(matrix.values.size());
  for (Index i = 0; i < matrix.rows; ++i) {
    entries.row.insert(entries.row.end(), matrix.row_columns(i).size(), i);
  }
  return entries;
}

void run_convert_bench(const ConvertOptions& options, const bench::Environment& environment) {
  bench::ConversionPlan plan;
  plan.threads = options.common.threads;
  plan.sampling = {options.common.samples, options.common.sample_milliseconds * 1e-3};
  plan.most_steps = options.most_steps;
  require_folders(options.common);
  for (const std::string& matrix : options.common.matrices) describe_matrix(matrix);  // typos first

  print_out(to_text(environment));
  std::vector<bench::ConversionRow> all;
  for (const std::string& name : options.common.matrices) {
    const Coo entries = load_entries(name);
    const auto rows =
        bench::sample_conversions(name, entries, plan, [](const bench::ConversionRow& row) {
          std::cerr << fmt::format("  {} threads={}\n", row.conversion.name, row.threads);
        });
    print_out(fmt::format("\n{}: {} x {}, {} entries\n", name, entries.rows, entries.columns,
                          entries.entries()));
    all.insert(all.end(), rows.begin(), rows.end());
    std::vector<bench::ConversionRow> measured;
    std::string refused;
    for (const bench::ConversionRow& row : rows) {
      if (row.sampled)
        measured.push_back(row);
      else
        refused += fmt::format("refused: {} with {} threads: {}\n", row.conversion.name,
                               row.threads, row.refused);
    }
    print_out(to_text(bench::tabulate(bench::conversion_columns(),
                                      std::span<const bench::ConversionRow>(measured))) +
              refused);
    write_results(
        options.common, environment,
        bench::tabulate(bench::conversion_columns(), std::span<const bench::ConversionRow>(all)));
  }
}

}  // namespace

void add_convert_command(CLI::App& app, const bench::Environment& environment) {
  CLI::App* const command =
      app.add_subcommand("convert", "samples the conversions between storage formats");
  const auto options = std::make_shared<ConvertOptions>();
  add_bench_options(*command, options->common);
  command
      ->add_option("--most-steps", options->most_steps,
                   "quadratic conversions of more than so many steps are refused")
      ->capture_default_str();
  command->footer([] {
    return "Columns of CSV and JSON (in CSV followed by the environment):\n" +
           bench::help_of(bench::conversion_columns());
  });
  command->callback([options, environment] { run_convert_bench(*options, environment); });
}

}  // namespace spsolve
