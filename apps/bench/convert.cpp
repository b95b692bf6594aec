// spbench convert.

#include "apps/bench/convert.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "apps/bench/spbench.hpp"
#include "core/error.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/formats/conversions.hpp"
#include "plan/reading_room.hpp"

namespace spsolve::bench {

namespace {

constexpr Column columns[] = {
    {"matrix", "file or generator"},
    {"rows", "rows"},
    {"columns", "columns"},
    {"entries", "entries of the list that is converted, as the file stores them"},
    {"conversion", "name", "{}", "conversion"},
    {"from", "format", "{}", "from"},
    {"to", "format", "{}", "to"},
    {"threads", "threads of the host", "{}", "threads"},
    {"refused", "why there are no samples; empty where there are"},
    {"samples", "number of samples"},
    {"median_s", "seconds of one conversion: median of the samples", "{:.3e}", "median s"},
    {"mean_s", "mean, by Welford's one-pass algorithm"},
    {"variance_s2", "variance (divisor samples - 1), s^2"},
    {"entries_per_s", "entries / median_s", "{:.3e}", "entries/s"},
    {"bytes", "bytes of the result", "{}", "bytes"},
    {"speedup", "median_s of the quadratic way to the same format / median_s, as many threads",
     "{:.1f}", "speed-up"},
};

/// Runs `conversion` as often as a sample is long; the first turn, which does not count, finds out
/// how often that is.
class ConversionTurns {
 public:
  ConversionTurns(const Conversion& conversion, const Coo& entries, const ConversionPlan& plan,
                  int threads)
      : conversion_(conversion), entries_(entries), plan_(plan), threads_(threads) {}

  void operator()(Turn& turn) {
    const double steps =
        static_cast<double>(entries_.rows) * static_cast<double>(entries_.entries());
    if (conversion_.quadratic && steps > plan_.most_steps) {
      fail(ExitCode::input, "rows x entries = {:.1e} steps are more than {:.1e}", steps,
           plan_.most_steps);
    }
    omp_set_num_threads(threads_);
    const auto run = [&](int repeats) {
      double seconds = 0;
      for (int r = 0; r < repeats; ++r) {
        const ConversionResult result = conversion_.run(entries_);
        seconds += result.seconds;
        turn.row["bytes"] = result.bytes;
      }
      return seconds;
    };
    if (turn.round == 0) {
      repeats_ = repeats_for(run, plan_.sampling.sample_seconds);
    } else {
      turn.add("median_s", run(repeats_) / repeats_);
    }
  }

 private:
  const Conversion& conversion_;
  const Coo& entries_;
  const ConversionPlan& plan_;
  int threads_;
  int repeats_ = 1;
};

}  // namespace

Columns conversion_columns() {
  return columns;
}

std::vector<Row> sample_conversions(const std::string& name, const Coo& entries,
                                    const ConversionPlan& plan) {
  std::vector<Contender> contenders;
  for (const Conversion& conversion : conversions()) {
    for (const int threads : plan.threads) {
      Row row;
      row.name = conversion.name;
      row.cells = {{"matrix", name},
                   {"rows", entries.rows},
                   {"columns", entries.columns},
                   {"entries", entries.entries()},
                   {"conversion", conversion.name},
                   {"from", conversion.from},
                   {"to", conversion.to},
                   {"threads", threads},
                   {"quadratic", conversion.quadratic}};
      contenders.push_back({row, true, ConversionTurns(conversion, entries, plan, threads)});
    }
  }
  SoloTeam alone;
  Rules rules;
  rules.where = name;
  rules.rounds = plan.sampling.samples;
  rules.warm_up = rules.brief = true;
  std::vector<Row> rows = compete(alone, std::move(contenders), rules);
  for (Row& row : rows) {
    if (!row.measured()) continue;
    row.add_spread("median_s");
    row["entries_per_s"] = row.number("entries") / row.number("median_s");
  }
  compare(rows, "median_s", "speedup", [](const Row& own, const Row& other) {
    return other.cell("quadratic") == true && other.cell("to") == own.cell("to") &&
           other.cell("threads") == own.cell("threads");
  });
  return rows;
}

}  // namespace spsolve::bench

namespace spsolve {

namespace {

struct ConvertOptions {
  BenchOptions common;
  bench::ConversionPlan plan;
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

void run_convert(ConvertOptions& options, Team& team) {
  const BenchOptions& common = options.common;
  options.plan.threads = common.threads;
  options.plan.sampling = common.sampling;
  Results results(common, bench::conversion_columns(), team);
  for (const std::string& matrix : common.matrices)
    require_real_matrix(matrix, describe_matrix(matrix).parts, "spbench");  // typos first
  results.begin();
  for (const std::string& name : common.matrices) {
    const Coo entries = load_entries(name);
    results.add(fmt::format("\n{}: {} x {}, {} entries\n", name, entries.rows, entries.columns,
                            entries.entries()),
                bench::sample_conversions(name, entries, options.plan));
  }
}

}  // namespace

void add_convert_command(CLI::App& app, const bench::Cell& environment, Team& team) {
  CLI::App* const command =
      app.add_subcommand("convert", "samples the conversions between storage formats");
  const auto options = std::make_shared<ConvertOptions>();
  options->common.environment = environment;
  add_short_work_options(*command, options->common);
  command
      ->add_option("--most-steps", options->plan.most_steps,
                   "quadratic conversions of more than so many steps are refused")
      ->capture_default_str();
  command->footer([] { return help_of_files(bench::conversion_columns()); });
  command->callback([options, &team] { run_convert(*options, team); });
}

}  // namespace spsolve
