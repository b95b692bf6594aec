#include "apps/bench/convert_bench.hpp"

#include <new>

#include <omp.h>

#include "core/error.hpp"

namespace spsolve::bench {

namespace {

const Column<ConversionRow> columns[] = {
    {"matrix", "file or generator", "", "",
     [](const ConversionRow& row) { return Cell(row.matrix); }},
    {"rows", "rows", "", "", [](const ConversionRow& row) { return Cell(row.rows); }},
    {"columns", "columns", "", "", [](const ConversionRow& row) { return Cell(row.columns); }},
    {"entries", "entries of the list that is converted, as the file stores them", "", "",
     [](const ConversionRow& row) { return Cell(row.entries); }},
    {"conversion", "name", "{}", "conversion",
     [](const ConversionRow& row) { return Cell(row.conversion.name); }},
    {"from", "format", "{}", "from",
     [](const ConversionRow& row) { return Cell(row.conversion.from); }},
    {"to", "format", "{}", "to", [](const ConversionRow& row) { return Cell(row.conversion.to); }},
    {"threads", "threads of the host", "{}", "threads",
     [](const ConversionRow& row) { return Cell(row.threads); }},
    {"refused", "why there are no samples; empty where there are", "", "",
     [](const ConversionRow& row) { return row.refused.empty() ? Cell() : Cell(row.refused); }},
    {"samples", "number of samples", "", "",
     [](const ConversionRow& row) {
       return row.sampled ? Cell(row.sampled->seconds.count) : Cell();
     }},
    {"median_s", "seconds of one conversion: median of the samples", "{:.3e}", "median s",
     [](const ConversionRow& row) {
       return row.sampled ? Cell(row.sampled->seconds.median) : Cell();
     }},
    {"mean_s", "mean, by Welford's one-pass algorithm", "", "",
     [](const ConversionRow& row) {
       return row.sampled ? Cell(row.sampled->seconds.mean) : Cell();
     }},
    {"variance_s2", "variance (divisor samples - 1), s^2", "", "",
     [](const ConversionRow& row) {
       return row.sampled ? Cell(row.sampled->seconds.variance) : Cell();
     }},
    {"entries_per_s", "entries / median_s", "{:.3e}", "entries/s",
     [](const ConversionRow& row) {
       return row.sampled ? Cell(static_cast<double>(row.entries) / row.sampled->seconds.median)
                          : Cell();
     }},
    {"bytes", "bytes of the result", "{}", "bytes",
     [](const ConversionRow& row) { return row.sampled ? Cell(row.bytes) : Cell(); }},
    {"speedup", "median_s of the quadratic way to the same format / median_s, as many threads",
     "{:.1f}", "speed-up",
     [](const ConversionRow& row) { return row.speedup ? Cell(*row.speedup) : Cell(); }},
};

void set_speedups(std::span<ConversionRow> rows) {
  for (ConversionRow& row : rows) {
    for (const ConversionRow& other : rows) {
      if (!row.sampled || !other.sampled || !other.conversion.quadratic ||
          other.conversion.to != row.conversion.to || other.threads != row.threads)
        continue;
      row.speedup = other.sampled->seconds.median / row.sampled->seconds.median;
    }
  }
}

/// Fills in what row.conversion took, or why it was not run.
void sample_conversion(const Coo& entries, const ConversionPlan& plan, ConversionRow& row) {
  const double steps = static_cast<double>(entries.rows) * static_cast<double>(entries.entries());
  if (row.conversion.quadratic && steps > plan.most_steps) {
    row.refused =
        fmt::format("rows x entries = {:.1e} steps are more than {:.1e}", steps, plan.most_steps);
    return;
  }
  omp_set_num_threads(row.threads);
  try {
    row.sampled = sample(
        [&](int repeats) {
          double seconds = 0;
          for (int r = 0; r < repeats; ++r) {
            const ConversionResult result = row.conversion.run(entries);
            seconds += result.seconds;
            row.bytes = result.bytes;
          }
          return seconds;
        },
        plan.sampling);
  } catch (const std::bad_alloc&) {
    row.refused = "the result does not fit into memory";
  } catch (const Error& error) {
    if (error.code() == ExitCode::internal) throw;
    row.refused = error.what();
  }
}

}  // namespace

std::span<const Column<ConversionRow>> conversion_columns() {
  return columns;
}

std::vector<ConversionRow> sample_conversions(
    const std::string& name, const Coo& entries, const ConversionPlan& plan,
    const std::function<void(const ConversionRow&)>& on_row) {
  std::vector<ConversionRow> rows;
  for (const Conversion& conversion : conversions()) {
    for (const int threads : plan.threads) {
      ConversionRow row;
      row.matrix = name;
      row.rows = entries.rows;
      row.columns = entries.columns;
      row.entries = entries.entries();
      row.conversion = conversion;
      row.threads = threads;
      sample_conversion(entries, plan, row);
      on_row(row);
      rows.push_back(std::move(row));
    }
  }
  set_speedups(rows);
  return rows;
}

}  // namespace spsolve::bench
