// The columns of spbench eliminate --matrix, and its summary.

#include <cmath>
#include <map>

#include "apps/bench/sparse/sparse_bench.hpp"

namespace spsolve::bench {

namespace {

constexpr Column columns[] = {
    {"matrix", "file or generator; laplacian:NAME is the Laplacian + identity of its graph"},
    {"n", "order of the system"},
    {"nonzeros", "stored entries of the matrix"},
    {"contender", "method of the solver table, or peer", "{}", "contender"},
    {"peer", "whether it is another house's"},
    {"factors", "LL^T, LDL^T or LU; of methods that make A dense, the one that was chosen", "{}",
     "factors"},
    {"threads", "threads of each rank", "{}", "threads"},
    {"ranks", "processes that share the work", "{}", "ranks"},
    {"samples", "rounds"},
    {"analyse_s", "seconds of ordering and planning: median", "{:.4f}", "analyse s"},
    {"factor_s", "seconds of the elimination: median", "{:.4f}", "factor s"},
    {"refactor_s", "seconds of the elimination of other values of the same pattern: median",
     "{:.4f}", "refactor s"},
    {"solve_s", "seconds of one right-hand side, without refinement: median", "{:.4f}", "solve s"},
    {"solve16_s", "seconds of 16 right-hand sides at once: median", "{:.4f}", "16 columns s"},
    {"total_s", "analyse_s + factor_s + solve_s of the same round: median", "{:.4f}", "total s"},
    {"min_total_s", "the shortest total"},
    {"systems", "of the pattern that sequence_s is of (--systems)"},
    {"sequence_s",
     "seconds to analyse once and to eliminate and solve so many systems, one after another: "
     "median",
     "{:.3f}", "systems s"},
    {"factor_nonzeros", "of the factors, by the contender's own count", "{:.3g}", "non-zeros"},
    {"flops", "of the elimination, by the contender's own count", "{:.3g}", "flops"},
    {"gflops", "flops / factor_s, 10^9 a second", "{:.1f}", "GFLOP/s"},
    {"peak_bytes", "by which the ranks' resident memory grew at most, A's copy included"},
    {"peak_gb", "peak_bytes / 10^9", "{:.3f}", "peak GB"},
    {"gpu_bytes", "of rank 0's GPU that it holds once it has solved (--device cuda)"},
    {"launches", "of the GPU for one elimination, of own sparse methods on one GPU", "{}",
     "launches"},
    {"small_share", "of flops, in small fronts, each whole in a thread block, likewise"},
    {"library_share", "of flops, in large products by cuBLAS; the rest is in batches of tiles"},
    {"backward_error", "normwise, without refinement, the worst of rounds and columns", "{:.0e}",
     "backward error"},
    {"componentwise_error", "backward error by components, likewise"},
    {"analyse_speedup",
     "the shortest analyse_s of a peer with a backward error up to 1e-8 / own; null for no time"},
    {"factor_speedup", "the same for factor_s", "{:.2f}", "factor: over best peer"},
    {"refactor_speedup", "for refactor_s"},
    {"solve_speedup", "for solve_s", "{:.2f}", "solve"},
    {"solve16_speedup", "for solve16_s"},
    {"total_speedup", "for total_s", "{:.2f}", "total"},
    {"sequence_speedup", "for sequence_s"},
    {"refused", "why it was not measured"},
};

constexpr Column summary_columns[] = {
    {"contender", "method of the solver table, or peer", "{}", "over the best peer"},
    {"threads", "threads of each rank", "{}", "threads"},
    {"ranks", "processes that share the work", "{}", "ranks"},
    {"matrices", "that it and a peer were measured on", "{}", "matrices"},
    {"factor_speedup", "geometric mean over the matrices", "{:.2f}", "factor"},
    {"refactor_speedup", "likewise", "{:.2f}", "refactor"},
    {"solve_speedup", "likewise", "{:.2f}", "solve"},
    {"solve16_speedup", "likewise", "{:.2f}", "16 columns"},
    {"total_speedup", "likewise", "{:.2f}", "total"},
    {"least_factor_speedup", "of all matrices", "{:.2f}", "least factor"},
    {"least_solve_speedup", "of all matrices", "{:.2f}", "least solve"},
    {"least_total_speedup", "of all matrices", "{:.2f}", "least total"},
};

}  // namespace

Columns sparse_columns() {
  return columns;
}

Columns sparse_summary_columns() {
  return summary_columns;
}

std::vector<Row> summaries_of(std::span<const Row> rows) {
  std::vector<Row> summaries;
  for (const Row& row : rows) {
    if (row.cell("total_speedup").is_null()) continue;
    const auto of_row = [&](const Row& summary) {
      return summary.name == row.name && summary.cell("threads") == row.cell("threads");
    };
    auto summary = std::ranges::find_if(summaries, of_row);
    if (summary == summaries.end()) {
      Row made;
      made.name = row.name;
      for (const char* label : {"contender", "threads", "ranks"}) made[label] = row.cell(label);
      summary = summaries.insert(summaries.end(), std::move(made));
    }
    for (const Column& column : columns) {
      const double speedup = row.number(column.name);
      if (!column.name.ends_with("_speedup") || std::isnan(speedup)) continue;
      summary->samples[std::string(column.name)].push_back(speedup);
    }
  }
  for (Row& summary : summaries) {
    summary["matrices"] = summary.samples["total_speedup"].size();
    for (const auto& [column, speedups] : summary.samples) {
      double logarithms = 0;
      for (const double speedup : speedups) logarithms += std::log(speedup);
      summary[column] = std::exp(logarithms / static_cast<double>(speedups.size()));
      summary["least_" + column] = summary.statistics(column).min;
    }
  }
  return summaries;
}

}  // namespace spsolve::bench
