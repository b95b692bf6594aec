#include "facts_of.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace spsolve::python {

nb::dict facts(const SetUpReport& report) {
  nb::dict told;
  told["method"] = report.method;
  told["pivoting"] = report.pivoting;
  told["device"] = report.device;
  told["equilibrated"] = report.equilibrated;
  told["pivot_growth"] = report.pivot_growth;
  told["smallest_pivot"] = report.smallest_pivot;
  told["largest_pivot"] = report.largest_pivot;
  told["ordering"] = report.ordering;
  told["preconditioner"] = report.preconditioner;
  told["factor_entries"] = report.factor_entries;
  told["flops"] = report.flops;
  told["perturbed_pivots"] = report.perturbed_pivots;
  told["negative_pivots"] = report.negative_pivots ? nb::cast(*report.negative_pivots) : nb::none();
  told["set_up_seconds"] = report.seconds;
  told["notes"] = report.notes;
  return told;
}

nb::dict facts(const Solution& solution) {
  const auto or_none = [](const std::optional<double>& value) -> nb::object {
    return value ? nb::cast(*value) : nb::none();
  };
  nb::dict told;
  told["solved"] = solution.solved;
  told["backward_error"] = solution.backward_error;
  told["componentwise_error"] = solution.componentwise_error;
  told["sweeps"] = solution.sweeps;
  told["condition"] = or_none(solution.condition);
  told["componentwise_condition"] = or_none(solution.componentwise_condition);
  told["forward_error_bound"] = solution.forward_error_bound;
  told["forward_error_estimate"] = solution.forward_error_estimate;
  told["solve_seconds"] = solution.seconds;
  told["steps"] = solution.steps;
  told["history"] = solution.history;
  told["notes"] = solution.notes;
  return told;
}

nb::dict facts(const SolverPlan& plan) {
  nb::dict told;
  told["method"] = plan.method;
  told["device"] = plan.device;
  told["ordering"] = plan.ordering;
  told["factor_entries"] = plan.factor_entries;
  told["flops"] = plan.flops;
  told["seconds"] = plan.seconds;
  told["bytes"] = plan.bytes;
  told["fits"] = plan.fits;
  told["remedy"] = plan.remedy;
  told["text"] = plan.text;
  return told;
}

}  // namespace spsolve::python
