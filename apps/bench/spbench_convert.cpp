// spbench convert.

#include <fmt/format.h>

#include "apps/bench/convert_bench.hpp"
#include "apps/bench/spbench.hpp"
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

void run_convert_bench(const ConvertOptions& options, const bench::Environment& environment,
                       Team& team) {
  const bench::ConversionPlan plan{
      options.common.threads,
      {options.common.samples, options.common.sample_milliseconds * 1e-3},
      options.most_steps};
  Results results(options.common, environment, bench::conversion_columns(), team);
  for (const std::string& matrix : options.common.matrices) describe_matrix(matrix);  // typos first
  results.begin();
  for (const std::string& name : options.common.matrices) {
    const Coo entries = load_entries(name);
    const auto rows = bench::sample_conversions(name, entries, plan);
    results.add(fmt::format("\n{}: {} x {}, {} entries\n", name, entries.rows, entries.columns,
                            entries.entries()),
                rows);
  }
}

}  // namespace

void add_convert_command(CLI::App& app, const bench::Environment& environment, Team& team) {
  CLI::App* const command =
      app.add_subcommand("convert", "samples the conversions between storage formats");
  const auto options = std::make_shared<ConvertOptions>();
  add_sampling_options(*command, options->common);
  command
      ->add_option("--most-steps", options->most_steps,
                   "quadratic conversions of more than so many steps are refused")
      ->capture_default_str();
  command->footer([] { return help_of_files(bench::conversion_columns()); });
  command->callback(
      [options, environment, &team] { run_convert_bench(*options, environment, team); });
}

}  // namespace spsolve
