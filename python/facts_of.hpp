#pragma once

#include <nanobind/nanobind.h>

#include "spsolve/spsolve.hpp"

namespace spsolve::python {

/// What the set-up of a solver tells, by the names of its fields.
nanobind::dict facts(const SetUpReport& report);

/// Likewise of a solution, and of a plan.
nanobind::dict facts(const Solution& solution);
nanobind::dict facts(const SolverPlan& plan);

}  // namespace spsolve::python
