// The columns of `spbench multiply`, for CSV, JSON, the printed table and the help.

#include "apps/bench/multiply/multiply_bench.hpp"
#include "config/config.hpp"

namespace spsolve::bench {

namespace {

using Row = MultiplyRow;

/// A column that only measured rows fill.
template <typename Value>
auto measured(Value value) {
  return [value](const Row& row) -> Cell {
    return row.result.sample ? Cell(value(row, *row.result.sample)) : Cell();
  };
}

/// A figure of the samples of one product, in seconds.
auto seconds(double Statistics::*figure) {
  return measured(
      [figure](const Row&, const KernelSample& sample) { return sample.product.seconds.*figure; });
}

auto error(double ProductErrors::*figure) {
  return measured([figure](const Row&, const KernelSample& sample) {
    return figure_of(sample.errors, figure);
  });
}

Cell optional(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

Cell text_or_null(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

const Column<Row> columns[] = {
    {"matrix", "file or generator", "", "", [](const Row& row) { return Cell(row.matrix); }},
    {"rows", "rows of A", "", "", [](const Row& row) { return Cell(row.facts.rows); }},
    {"columns", "columns of A", "", "", [](const Row& row) { return Cell(row.facts.columns); }},
    {"nonzeros", "stored non-zeros of A, symmetric files mirrored", "", "",
     [](const Row& row) { return Cell(row.facts.nonzeros); }},
    {"longest_row", "non-zeros of the longest row", "", "",
     [](const Row& row) { return Cell(row.facts.longest_row); }},
    {"symmetric", "whether a_ij = a_ji", "", "",
     [](const Row& row) { return Cell(row.facts.symmetric); }},
    {"kernel", "name in the table of kernels", "{}", "kernel",
     [](const Row& row) { return Cell(row.kernel.name); }},
    {"device", "host, or the model of the GPU", "{}", "device",
     [](const Row& row) { return Cell(row.device); }},
    {"format", "storage format", "", "", [](const Row& row) { return Cell(row.kernel.format); }},
    {"precision", "float or double", "{}", "precision",
     [](const Row& row) { return Cell(name(row.precision)); }},
    {"k", "columns of X and Y", "{}", "K", [](const Row& row) { return Cell(row.k); }},
    {"threads", "threads of the host; empty on other devices", "{}", "threads",
     [](const Row& row) { return row.threads > 0 ? Cell(row.threads) : Cell(); }},
    {"width", "parameter of the kernel (sub-warp, tile, chunk) asked for; empty: its default", "",
     "", [](const Row& row) { return row.width > 0 ? Cell(row.width) : Cell(); }},
    {"refused", "why the kernel was not run; empty where it was", "", "",
     [](const Row& row) { return text_or_null(row.result.refused); }},
    {"detail", "what the kernel chose for this matrix", "", "",
     measured([](const Row&, const KernelSample& s) { return text_or_null(s.detail); })},
    {"samples", "number of samples", "", "",
     measured([](const Row&, const KernelSample& s) { return Cell(s.product.seconds.count); })},
    {"repeats", "products within a sample", "", "",
     measured([](const Row&, const KernelSample& s) { return Cell(s.product.repeats); })},
    {"median_s", "seconds of one product: median of the samples", "{:.3e}", "median s",
     seconds(&Statistics::median)},
    {"mean_s", "mean, by Welford's one-pass algorithm", "", "", seconds(&Statistics::mean)},
    {"variance_s2", "variance (divisor samples - 1), s^2", "", "", seconds(&Statistics::variance)},
    {"min_s", "shortest sample", "{:.3e}", "min s", seconds(&Statistics::min)},
    {"max_s", "longest sample", "", "", seconds(&Statistics::max)},
    {"cold_median_s", "median of single products with an empty L2 cache; empty on the host", "", "",
     [](const Row& row) {
       const bool measured_cold = row.result.sample && row.result.sample->product.cold_seconds;
       return measured_cold ? Cell(row.result.sample->product.cold_seconds->median) : Cell();
     }},
    {"gflops", "2 nonzeros k / median_s / 1e9, GFLOP/s", "{:.2f}", "GFLOP/s",
     measured([](const Row& row, const KernelSample&) { return row.gflops(); })},
    {"floor_bytes",
     "bytes that must move: values, 4-byte columns and 8-byte row offsets of CSR, X and Y once", "",
     "", [](const Row& row) { return Cell(row.floor_bytes()); }},
    {"bandwidth_gbs", "floor_bytes / median_s / 1e9, GB/s", "{:.2f}", "GB/s",
     measured([](const Row& row, const KernelSample&) { return row.bytes_per_second() / 1e9; })},
    {"triad_gbs",
     "triad a = b + s c with as many threads in the same run, 24 bytes an element, GB/s; on a GPU "
     "a "
     "large copy, bytes read and written",
     "", "",
     [](const Row& row) {
       return row.triad_bandwidth > 0 ? Cell(row.triad_bandwidth / 1e9) : Cell();
     }},
    {"triad_fraction", "bandwidth_gbs / triad_gbs", "{:.2f}", "of triad",
     measured([](const Row& row, const KernelSample&) {
       return row.triad_bandwidth > 0 ? Cell(row.bytes_per_second() / row.triad_bandwidth) : Cell();
     })},
    {"baseline", "the kernel that speedup refers to", "", "",
     [](const Row& row) { return text_or_null(row.baseline); }},
    {"speedup", "median_s of the baseline kernel / median_s, as many threads", "{:.2f}", "speed-up",
     [](const Row& row) { return optional(row.speedup); }},
    {"of_fastest", "median_s of the fastest row of this matrix, precision and k / median_s",
     "{:.2f}", "of fastest", [](const Row& row) { return optional(row.of_fastest); }},
    {"largest_error", "max |y - r| / max(|y|, |r|) against the serial product r", "{:.1e}",
     "largest error", error(&ProductErrors::largest)},
    {"mean_error", "mean of the same", "{:.1e}", "mean error", error(&ProductErrors::mean)},
    {"scaled_error", "max |y - r| / (|A| |X|)", "", "", error(&ProductErrors::scaled)},
    {"error_bound", "(longest_row + 2) unit_roundoff, which scaled_error stays below", "", "",
     error(&ProductErrors::bound)},
    {"unit_roundoff", "2^-53 in double, 2^-24 in float", "", "", error(&ProductErrors::roundoff)},
    {"machine_epsilon", "twice that: 2.22e-16 in double, the unit round-off of the published table",
     "", "", error(&ProductErrors::epsilon)},
    {"format_bytes", "bytes of the converted matrix", "", "",
     measured([](const Row&, const KernelSample& s) { return Cell(s.format_bytes); })},
    {"convert_s", "seconds from CSR to the format, once", "{:.1e}", "convert s",
     measured([](const Row&, const KernelSample& s) { return Cell(s.convert_seconds); })},
    {"reproducible", "whether every run gives the same bits", "", "",
     [](const Row& row) { return Cell(row.kernel.reproducible); }},
};

}  // namespace

std::span<const Column<MultiplyRow>> multiply_columns() {
  return columns;
}

}  // namespace spsolve::bench
