#include <algorithm>
#include <cstddef>
#include <cstring>

#include "api/c_objects.hpp"

namespace spsolve {

namespace {

/// Writes as much of a structure of this version as the program's has room for.
template <typename Structure>
void hand_out(Structure mine, Structure* theirs) {
  const std::size_t size = theirs->size;
  mine.size = size;
  std::memset(static_cast<void*>(theirs), 0, size);
  std::memcpy(static_cast<void*>(theirs), &mine, std::min(size, sizeof mine));
}

/// Whether there is a place for a structure, whose size was set.
template <typename Structure>
bool has_size(const Structure* theirs) {
  return theirs != nullptr && theirs->size >= offsetof(Structure, method) + sizeof(char*);
}

constexpr const char* plan_wants = "a plan needs a place to be put, whose size is set";

spsolve_plan in_c(const SolverPlan& plan) {
  return {sizeof(spsolve_plan), plan.method.c_str(), plan.device.c_str(), plan.ordering.c_str(),
          plan.factor_entries,  plan.flops,          plan.seconds,        plan.bytes,
          plan.fits ? 1 : 0,    plan.remedy.c_str(), plan.text.c_str()};
}

}  // namespace

}  // namespace spsolve

using namespace spsolve;

spsolve_status spsolve_plan_solver(const spsolve_ranks* ranks, const spsolve_matrix* matrix,
                                   const spsolve_options* options, spsolve_plan* plan) {
  static thread_local SolverPlan last;
  return guarded([&] {
    const Ranks all = ranks_from_c(ranks);
    require_together(all, has_size(plan), plan_wants);
    with_system(all, matrix, options, [&](const Matrix& of, const Options& wanted) {
      last = plan_solver(of, wanted, all);
    });
    hand_out(in_c(last), plan);
    return SPSOLVE_OK;
  });
}

spsolve_status spsolve_solver_plan(spsolve_solver* solver, spsolve_plan* plan) {
  if (solver == nullptr) return refuse("there is no solver");
  return guarded([&] {
    require_together(solver->ranks, has_size(plan), plan_wants);
    solver->plan = solver->solver.plan();
    hand_out(in_c(solver->plan), plan);
    return SPSOLVE_OK;
  });
}

spsolve_status spsolve_solver_report(spsolve_solver* solver, spsolve_report* report) {
  if (solver == nullptr || !has_size(report)) {
    return refuse("a report needs a solver and a place to be put, whose size is set");
  }
  solver->report = solver->solver.report();
  const SetUpReport& of = solver->report;
  const Solution& last = solver->last;
  hand_out({sizeof(spsolve_report), of.method.c_str(), of.pivoting.c_str(), of.device.c_str(),
            of.ordering.c_str(), of.preconditioner.c_str(), of.equilibrated ? 1 : 0,
            of.pivot_growth, of.smallest_pivot, of.largest_pivot, of.factor_entries, of.flops,
            of.perturbed_pivots, of.negative_pivots.value_or(-1), of.seconds, solver->solves,
            last.seconds, last.steps, std::ssize(last.history)},
           report);
  return SPSOLVE_OK;
}

spsolve_status spsolve_solver_history(const spsolve_solver* solver, int64_t room, double* history) {
  if (solver == nullptr || room < 0 || (room > 0 && history == nullptr)) {
    return refuse("a history needs a solver and room for numbers");
  }
  const std::vector<double>& errors = solver->last.history;
  std::copy_n(errors.begin(), std::min<std::int64_t>(room, std::ssize(errors)), history);
  return SPSOLVE_OK;
}
