#include "task/solve/method_report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "config/schema.hpp"
#include "core/blas/blas.hpp"
#include "core/tuning.hpp"
#include "dense/eliminated_problem.hpp"
#include "report/summary.hpp"
#include "task/ignored_keys.hpp"
#include "task/solve/resumed_run.hpp"

namespace spsolve::inline task {

void note_method(SystemSolver& solver, const SystemForm& form, bool cheaply, SolveReport& report) {
  const EliminationChoice choice = solver.choice();
  const InverseFacts& facts = solver.facts();
  report.method = name(choice.method);
  report.pivoting = name(choice.pivoting);
  report.mixed = facts.mixed;
  report.sparse = facts.sparse;
  if (!form.conjugates) report.inertia = solver.inertia(cheaply);
  if (report.sparse) report.sparse->negative_pivots.reset();
  if (report.inertia) {
    Inertia& told = *report.inertia;
    if (told.certainty == Certainty::unknown) {
      report.notes.push_back("the number of negative eigenvalues is not told: " + told.doubt);
    } else {
      // Each is one twice of the real form.
      for (Index* count : {&told.positive, &told.negative, &told.zero}) *count /= form.parts;
      report.sparse->negative_pivots = told.negative;
    }
  }
  report.note_definiteness();
  report.krylov = facts.krylov;
  if (!facts.krylov) report.pivots = facts.pivots;
}

void leave_out_what_did_not_come(SystemSolver& solver, MemoryPlan& plan) {
  using enum MemoryPlan::Occasion;
  const InverseFacts& facts = solver.facts();
  if (facts.sparse && facts.sparse->gmres_steps == 0) plan.leave_out(small_pivots);
  if (facts.krylov && facts.krylov->levels.empty()) plan.leave_out(multigrid);
  const bool has_own_rows = facts.krylov && solver.scaling().scales;
  if (!has_own_rows) {
    plan.settle("rows of A^T", solver.matrix().bands().products().transposed_bytes());
  }
}

double note_rate(const SystemSolver& solver, const SystemForm& form, int eliminations,
                 SolveReport& report) {
  if (solver.facts().krylov) return 0;
  const Index order = form.parts * report.rows / rows_of_dense_row(solver.choice());
  const double flops = eliminations * flops_here(report, solver, order);
  report.gflops = flops / report.longest("eliminate") / 1e9;
  return flops;
}

void add_notes(const SystemSolver& solver, const Config& config, double flops,
               SolveReport& report) {
  const EliminationChoice choice = solver.choice();
  const InverseFacts& facts = solver.facts();
  const bool on_gpu = report.device != "host";
  std::ranges::copy(facts.notes, std::back_inserter(report.notes));
  if (!on_gpu && flops >= host_tuning.flops_worth_a_note) {
    if (std::string note = blas::faster_kernels(); !note.empty()) {
      report.notes.push_back(std::move(note));
    }
  }
  std::ranges::move(notes_on_ignored_keys(config, choice.method, on_gpu, facts),
                    std::back_inserter(report.notes));
  // As `auto` took it, too.
  if (choice.precision == Precision::mixed) report.precision = name(choice.precision);
  if (choice.precision == Precision::float64 && config.solve.precision != Precision::float64) {
    report.notes.push_back(
        fmt::format("eliminated in double: at order {} float factors would save no time on a GPU",
                    report.rows));
  }
  std::ranges::copy(report.trust.notes, std::back_inserter(report.notes));
}

}  // namespace spsolve::task
