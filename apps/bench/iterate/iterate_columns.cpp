// The columns of spbench iterate.

#include "apps/bench/iterate/iterate_bench.hpp"

namespace spsolve::bench {

namespace {

template <typename T>
Cell cell_of(const std::optional<T>& figure) {
  return figure ? Cell(*figure) : Cell();
}

/// A figure that only a run that was measured has.
template <typename T>
Cell measured(const IterationRow& row, const T& figure) {
  return row.refused.empty() ? Cell(figure) : Cell();
}

const Column<IterationRow> columns[] = {
    {"matrix", "file or generator", "", "", [](const auto& row) { return Cell(row.matrix); }},
    {"n", "order of the system", "", "", [](const auto& row) { return Cell(row.order); }},
    {"nonzeros", "stored entries of the matrix", "", "",
     [](const auto& row) { return Cell(row.nonzeros); }},
    {"contender", "method + preconditioner, or peer", "{}", "contender",
     [](const auto& row) { return Cell(row.contender); }},
    {"peer", "whether it is another house's", "", "",
     [](const auto& row) { return Cell(row.peer); }},
    {"device", "host or cuda", "", "", [](const auto& row) { return Cell(row.device); }},
    {"columns", "right-hand sides; peers solve for one after another", "{}", "K",
     [](const auto& row) { return Cell(row.columns); }},
    {"threads", "threads of each rank; peers have one", "{}", "threads",
     [](const auto& row) { return Cell(row.threads); }},
    {"ranks", "processes that share the work", "{}", "ranks",
     [](const auto& row) { return Cell(row.ranks); }},
    {"tolerance", "that residual was asked for", "", "",
     [](const auto& row) { return Cell(row.tolerance); }},
    {"samples", "rounds", "", "", [](const auto& row) { return Cell(row.set_up.count); }},
    {"setup_s", "seconds from the matrix to the preconditioner: median", "{:.4f}", "setup s",
     [](const auto& row) { return measured(row, row.set_up.median); }},
    {"solve_s", "seconds of the steps: median", "{:.4f}", "solve s",
     [](const auto& row) { return measured(row, row.solve.median); }},
    {"total_s", "seconds of both: median", "{:.4f}", "total s",
     [](const auto& row) { return measured(row, row.total.median); }},
    {"total_min_s", "the shortest", "", "",
     [](const auto& row) { return measured(row, row.total.min); }},
    {"steps", "of the method, by its own account, the most of rounds and columns", "{}", "steps",
     [](const auto& row) { return measured(row, row.figures.steps); }},
    {"converged", "whether that was to the tolerance, by its own account or by the residual", "{}",
     "converged", [](const auto& row) { return measured(row, row.figures.converged); }},
    {"step_ms", "milliseconds of a step: solve_s / steps", "{:.3f}", "step ms",
     [](const auto& row) { return measured(row, 1e3 * row.step()); }},
    {"floor_bytes",
     "bytes that a step of cg, minres or bicgstab must move over all ranks, its preconditioner's "
     "left out",
     "", "", [](const auto& row) { return cell_of(row.floor_bytes); }},
    {"triad_gb_s", "10^9 bytes a second of the triad of all ranks in the same run", "", "",
     [](const auto& row) { return row.triad > 0 ? Cell(row.triad / 1e9) : Cell(); }},
    {"of_floor", "time of floor_bytes at the triad's rate over that of a step", "{:.2f}",
     "of floor", [](const auto& row) { return cell_of(row.of_floor()); }},
    {"levels", "of multigrid", "{}", "levels",
     [](const auto& row) { return cell_of(row.figures.levels); }},
    {"operator_complexity", "entries of multigrid's matrices over those of A", "{:.2f}",
     "complexity", [](const auto& row) { return cell_of(row.figures.operator_complexity); }},
    {"residual", "||b - A x|| / ||b|| in 2-norms, the worst of rounds and columns", "{:.1e}",
     "residual", [](const auto& row) { return measured(row, row.residual); }},
    {"backward_error", "normwise, likewise", "{:.1e}", "backward error",
     [](const auto& row) { return measured(row, row.backward_error); }},
    {"speedup_setup", "the shortest setup_s of a peer that converged / own", "", "",
     [](const auto& row) { return cell_of(row.speedup_set_up); }},
    {"speedup_solve", "the shortest solve_s of a peer that converged / own", "{:.2f}",
     "solve over peer", [](const auto& row) { return cell_of(row.speedup_solve); }},
    {"speedup_total", "the shortest total_s of a peer that converged / own", "{:.2f}",
     "total over peer", [](const auto& row) { return cell_of(row.speedup_total); }},
    {"refused", "why it was not measured", "", "",
     [](const auto& row) { return row.refused.empty() ? Cell() : Cell(row.refused); }},
};

}  // namespace

std::span<const Column<IterationRow>> iteration_columns() {
  return columns;
}

}  // namespace spsolve::bench
