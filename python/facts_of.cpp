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
  told["notes"] = solution.notes;
  return told;
}

}  // namespace spsolve::python
