// The columns of spbench eliminate --matrix, and its summary.

#include <cmath>

#include <fmt/format.h>

#include "apps/bench/sparse/sparse_bench.hpp"

namespace spsolve::bench {

namespace {

Cell seconds_of(const SparseRow& row, SparsePhase phase) {
  return row.refused.empty() ? Cell(row.median(phase)) : Cell();
}

Cell speedup_of(const SparseRow& row, SparsePhase phase) {
  const auto& speedup = row.speedup[static_cast<int>(phase)];
  return speedup ? Cell(*speedup) : Cell();
}

template <SparsePhase phase>
Cell seconds_in(const SparseRow& row) {
  return seconds_of(row, phase);
}

template <SparsePhase phase>
Cell speedup_in(const SparseRow& row) {
  return speedup_of(row, phase);
}

Cell told(const SparseRow& row, std::optional<double> FactorFigures::*figure) {
  return row.figures.*figure ? Cell(*(row.figures.*figure)) : Cell();
}

Cell share_of_flops(const SparseRow& row, double KernelStatistics::*flops) {
  const FactorFigures& figures = row.figures;
  return figures.gpu && figures.flops ? Cell(*figures.gpu.*flops / *figures.flops) : Cell();
}

const Column<SparseRow> columns[] = {
    {"matrix", "file or generator; laplacian:NAME is the Laplacian + identity of its graph", "", "",
     [](const auto& row) { return Cell(row.matrix); }},
    {"n", "order of the system", "", "", [](const auto& row) { return Cell(row.order); }},
    {"nonzeros", "stored entries of the matrix", "", "",
     [](const auto& row) { return Cell(row.nonzeros); }},
    {"contender", "method of the solver table, or peer", "{}", "contender",
     [](const auto& row) { return Cell(row.contender); }},
    {"peer", "whether it is another house's", "", "",
     [](const auto& row) { return Cell(row.peer); }},
    {"factors", "LL^T, LDL^T or LU; of methods that make A dense, the one that was chosen", "{}",
     "factors",
     [](const auto& row) { return row.figures.kind.empty() ? Cell() : Cell(row.figures.kind); }},
    {"threads", "threads of each rank", "{}", "threads",
     [](const auto& row) { return Cell(row.threads); }},
    {"ranks", "processes that share the work", "{}", "ranks",
     [](const auto& row) { return Cell(row.ranks); }},
    {"samples", "rounds", "", "", [](const auto& row) { return Cell(row.seconds[0].count); }},
    {"analyse_s", "seconds of ordering and planning: median", "{:.4f}", "analyse s",
     seconds_in<SparsePhase::analyse>},
    {"factor_s", "seconds of the elimination: median", "{:.4f}", "factor s",
     seconds_in<SparsePhase::factor>},
    {"refactor_s", "seconds of the elimination of other values of the same pattern: median",
     "{:.4f}", "refactor s", seconds_in<SparsePhase::refactor>},
    {"solve_s", "seconds of one right-hand side, without refinement: median", "{:.4f}", "solve s",
     seconds_in<SparsePhase::solve>},
    {"solve16_s", "seconds of 16 right-hand sides at once: median", "{:.4f}", "16 columns s",
     seconds_in<SparsePhase::solve_many>},
    {"total_s", "analyse_s + factor_s + solve_s of the same round: median", "{:.4f}", "total s",
     seconds_in<SparsePhase::total>},
    {"min_total_s", "the shortest total", "", "",
     [](const auto& row) {
       return row.refused.empty() ? Cell(row.seconds[static_cast<int>(SparsePhase::total)].min)
                                  : Cell();
     }},
    {"systems", "of the pattern that sequence_s is of (--systems)", "", "",
     [](const auto& row) { return Cell(row.systems); }},
    {"sequence_s",
     "seconds to analyse once and to eliminate and solve so many systems, one after another: "
     "median",
     "{:.3f}", "systems s",
     [](const auto& row) {
       return row.systems > 0 ? seconds_of(row, SparsePhase::sequence) : Cell();
     }},
    {"factor_nonzeros", "of the factors, by the contender's own count", "{:.3g}", "non-zeros",
     [](const auto& row) { return told(row, &FactorFigures::nonzeros); }},
    {"flops", "of the elimination, by the contender's own count", "{:.3g}", "flops",
     [](const auto& row) { return told(row, &FactorFigures::flops); }},
    {"gflops", "flops / factor_s, 10^9 a second", "{:.1f}", "GFLOP/s",
     [](const auto& row) {
       return row.refused.empty() && row.figures.flops
                  ? Cell(*row.figures.flops / row.median(SparsePhase::factor) / 1e9)
                  : Cell();
     }},
    {"peak_bytes", "by which the ranks' resident memory grew at most, A's copy included", "", "",
     [](const auto& row) { return row.peak_bytes ? Cell(*row.peak_bytes) : Cell(); }},
    {"peak_gb", "peak_bytes / 10^9", "{:.3f}", "peak GB",
     [](const auto& row) {
       return row.peak_bytes ? Cell(1e-9 * static_cast<double>(*row.peak_bytes)) : Cell();
     }},
    {"gpu_bytes", "of rank 0's GPU that it holds once it has solved (--device cuda)", "", "",
     [](const auto& row) { return row.gpu_bytes ? Cell(*row.gpu_bytes) : Cell(); }},
    {"launches", "of the GPU for one elimination, of own sparse methods on one GPU", "{}",
     "launches",
     [](const auto& row) { return row.figures.gpu ? Cell(row.figures.gpu->launches) : Cell(); }},
    {"small_share", "of flops, in small fronts, each whole in a thread block, likewise", "", "",
     [](const auto& row) { return share_of_flops(row, &KernelStatistics::small_flops); }},
    {"library_share", "of flops, in large products by cuBLAS; the rest is in batches of tiles", "",
     "", [](const auto& row) { return share_of_flops(row, &KernelStatistics::library_flops); }},
    {"backward_error", "normwise, without refinement, the worst of rounds and columns", "{:.0e}",
     "backward error",
     [](const auto& row) { return row.refused.empty() ? Cell(row.backward_error) : Cell(); }},
    {"componentwise_error", "backward error by components, likewise", "", "",
     [](const auto& row) { return row.refused.empty() ? Cell(row.componentwise_error) : Cell(); }},
    {"analyse_speedup",
     "the shortest analyse_s of a peer with a backward error up to 1e-8 / own; null for no time",
     "", "", speedup_in<SparsePhase::analyse>},
    {"factor_speedup", "the same for factor_s", "{:.2f}", "factor: over best peer",
     speedup_in<SparsePhase::factor>},
    {"refactor_speedup", "for refactor_s", "", "", speedup_in<SparsePhase::refactor>},
    {"solve_speedup", "for solve_s", "{:.2f}", "solve", speedup_in<SparsePhase::solve>},
    {"solve16_speedup", "for solve16_s", "", "", speedup_in<SparsePhase::solve_many>},
    {"total_speedup", "for total_s", "{:.2f}", "total", speedup_in<SparsePhase::total>},
    {"sequence_speedup", "for sequence_s", "", "", speedup_in<SparsePhase::sequence>},
    {"refused", "why it was not measured", "", "",
     [](const auto& row) { return row.refused.empty() ? Cell() : Cell(row.refused); }},
};

template <SparsePhase phase>
Cell mean_of(const SparseSummary& summary) {
  return Cell(summary.mean[static_cast<int>(phase)]);
}

template <SparsePhase phase>
Cell least_of(const SparseSummary& summary) {
  return Cell(summary.least[static_cast<int>(phase)]);
}

const Column<SparseSummary> summary_columns[] = {
    {"contender", "method of the solver table, or peer", "{}", "over the best peer",
     [](const auto& row) { return Cell(row.contender); }},
    {"threads", "threads of each rank", "{}", "threads",
     [](const auto& row) { return Cell(row.threads); }},
    {"ranks", "processes that share the work", "{}", "ranks",
     [](const auto& row) { return Cell(row.ranks); }},
    {"matrices", "that it and a peer were measured on", "{}", "matrices",
     [](const auto& row) { return Cell(row.matrices); }},
    {"factor_speedup", "geometric mean over the matrices", "{:.2f}", "factor",
     mean_of<SparsePhase::factor>},
    {"refactor_speedup", "likewise", "{:.2f}", "refactor", mean_of<SparsePhase::refactor>},
    {"solve_speedup", "likewise", "{:.2f}", "solve", mean_of<SparsePhase::solve>},
    {"solve16_speedup", "likewise", "{:.2f}", "16 columns", mean_of<SparsePhase::solve_many>},
    {"total_speedup", "likewise", "{:.2f}", "total", mean_of<SparsePhase::total>},
    {"least_factor_speedup", "of all matrices", "{:.2f}", "least factor",
     least_of<SparsePhase::factor>},
    {"least_solve_speedup", "of all matrices", "{:.2f}", "least solve",
     least_of<SparsePhase::solve>},
    {"least_total_speedup", "of all matrices", "{:.2f}", "least total",
     least_of<SparsePhase::total>},
};

}  // namespace

std::span<const Column<SparseRow>> sparse_columns() {
  return columns;
}

std::span<const Column<SparseSummary>> sparse_summary_columns() {
  return summary_columns;
}

std::vector<SparseSummary> summaries_of(std::span<const SparseRow> rows) {
  struct Logarithms {
    int count[sparse_phases] = {};
    double sum[sparse_phases] = {};
  };
  std::vector<SparseSummary> summaries;
  std::vector<Logarithms> logarithms;
  for (const SparseRow& row : rows) {
    if (!row.speedup[static_cast<int>(SparsePhase::total)]) continue;
    std::size_t which = 0;
    while (which < summaries.size() &&
           (summaries[which].contender != row.contender || summaries[which].ranks != row.ranks ||
            summaries[which].threads != row.threads)) {
      ++which;
    }
    if (which == summaries.size()) {
      summaries.push_back({row.contender, row.threads, row.ranks});
      logarithms.emplace_back();
    }
    ++summaries[which].matrices;
    for (int phase = 0; phase < sparse_phases; ++phase) {
      if (!row.speedup[phase]) continue;
      const double speedup = *row.speedup[phase];
      double& least = summaries[which].least[phase];
      least = logarithms[which].count[phase]++ == 0 ? speedup : std::min(least, speedup);
      logarithms[which].sum[phase] += std::log(speedup);
    }
  }
  for (std::size_t k = 0; k < summaries.size(); ++k) {
    for (int phase = 0; phase < sparse_phases; ++phase) {
      const int count = logarithms[k].count[phase];
      summaries[k].mean[phase] = count == 0 ? 0 : std::exp(logarithms[k].sum[phase] / count);
    }
  }
  return summaries;
}

}  // namespace spsolve::bench
