// The columns of `spbench multiply` over several ranks, for CSV, JSON, the printed table and the
// help.

#include "apps/bench/multiply/distributed_bench.hpp"

namespace spsolve::bench {

namespace {

using Row = DistributedRow;

/// A column that only measured rows fill.
template <typename Value>
auto measured(Value value) {
  return [value](const Row& row) -> Cell {
    return row.sample ? Cell(value(row, *row.sample)) : Cell();
  };
}

auto seconds(double Statistics::*figure) {
  return measured([figure](const Row&, const DistributedSample& sample) {
    return sample.product.seconds.*figure;
  });
}

auto part(double ProductTimes::*figure) {
  return measured(
      [figure](const Row&, const DistributedSample& sample) { return sample.parts.*figure; });
}

auto error(double ProductErrors::*figure) {
  return measured([figure](const Row&, const DistributedSample& sample) {
    return figure_of(sample.errors, figure);
  });
}

Cell text_or_null(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

const Column<Row> columns[] = {
    {"matrix", "file or generator", "", "", [](const Row& row) { return Cell(row.matrix); }},
    {"rows", "rows of A", "", "", [](const Row& row) { return Cell(row.rows); }},
    {"columns", "columns of A", "", "", [](const Row& row) { return Cell(row.columns); }},
    {"nonzeros", "stored non-zeros of A, symmetric files mirrored", "", "",
     [](const Row& row) { return Cell(row.nonzeros); }},
    {"kernel", "name in the table of kernels", "{}", "kernel",
     [](const Row& row) { return Cell(row.kernel.name); }},
    {"device", "host, or the model of the GPU", "{}", "device",
     [](const Row& row) { return Cell(row.device); }},
    {"precision", "float or double", "{}", "precision",
     [](const Row& row) { return Cell(name(row.precision)); }},
    {"k", "columns of X and Y", "{}", "K", [](const Row& row) { return Cell(row.k); }},
    {"ranks", "ranks of the team", "{}", "ranks", [](const Row& row) { return Cell(row.ranks); }},
    {"hosts", "hosts that they are on", "", "", [](const Row& row) { return Cell(row.hosts); }},
    {"threads", "threads of each rank", "{}", "threads",
     [](const Row& row) { return Cell(row.threads); }},
    {"bands", "how rows are dealt out, as asked for", "", "",
     [](const Row& row) { return Cell(name(row.bands)); }},
    {"transport", "how the halo travels", "", "",
     measured([](const Row&, const DistributedSample& s) { return Cell(s.transport); })},
    {"refused", "why the kernel was not run; empty where it was", "", "",
     [](const Row& row) { return text_or_null(row.refused); }},
    {"detail", "what the kernel chose on rank 0", "", "",
     measured([](const Row&, const DistributedSample& s) { return text_or_null(s.detail); })},
    {"samples", "number of samples", "", "", measured([](const Row&, const DistributedSample& s) {
       return Cell(s.product.seconds.count);
     })},
    {"repeats", "products within a sample", "", "",
     measured([](const Row&, const DistributedSample& s) { return Cell(s.product.repeats); })},
    {"median_s", "seconds of one product on the slowest rank: median of the samples", "{:.3e}",
     "median s", seconds(&Statistics::median)},
    {"mean_s", "mean, by Welford's one-pass algorithm", "", "", seconds(&Statistics::mean)},
    {"variance_s2", "variance (divisor samples - 1), s^2", "", "", seconds(&Statistics::variance)},
    {"min_s", "shortest sample", "", "", seconds(&Statistics::min)},
    {"max_s", "longest sample", "", "", seconds(&Statistics::max)},
    {"pack_s", "of one product: packing; this and the next four on the rank where it is longest",
     "{:.1e}", "pack", part(&ProductTimes::pack)},
    {"exchange_s", "letting messages go", "{:.1e}", "exchange", part(&ProductTimes::exchange)},
    {"interior_s", "multiplying own rows of X", "{:.1e}", "interior",
     part(&ProductTimes::interior)},
    {"wait_s", "waiting for the halo when all else is done", "{:.1e}", "wait",
     part(&ProductTimes::wait)},
    {"boundary_s", "multiplying the halo", "{:.1e}", "boundary", part(&ProductTimes::boundary)},
    {"gflops", "2 nonzeros k / median_s / 1e9, GFLOP/s", "{:.2f}", "GFLOP/s",
     measured([](const Row& row, const DistributedSample&) { return row.gflops(); })},
    {"bandwidth_gbs", "bytes that must move / median_s / 1e9, GB/s", "{:.2f}", "GB/s",
     measured(
         [](const Row& row, const DistributedSample&) { return row.bytes_per_second() / 1e9; })},
    {"halo_rows", "rows of X that travel in one product", "{}", "halo rows",
     measured([](const Row& row, const DistributedSample&) { return row.halo_rows(); })},
    {"halo_bytes", "their bytes", "", "",
     measured([](const Row& row, const DistributedSample&) { return row.halo_bytes(); })},
    {"imbalance", "non-zeros of the fullest rank over the mean", "{:.3f}", "imbalance",
     measured([](const Row& row, const DistributedSample&) { return row.imbalance(); })},
    {"prepare_s", "halo plan and conversion, once", "", "",
     measured([](const Row&, const DistributedSample& s) { return s.prepare_seconds; })},
    {"largest_error", "max |y - r| / max(|y|, |r|) against the serial product r", "{:.1e}",
     "largest error", error(&ProductErrors::largest)},
    {"scaled_error", "max |y - r| / (|A| |X|)", "", "", error(&ProductErrors::scaled)},
    {"error_bound", "(longest row + 2) unit round-off, which scaled_error stays below", "", "",
     error(&ProductErrors::bound)},
};

}  // namespace

std::span<const Column<DistributedRow>> distributed_columns() {
  return columns;
}

}  // namespace spsolve::bench
