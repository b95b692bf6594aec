#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "solve/inverse.hpp"

namespace spsolve::inline report {

/// The section `sparse` of a report, and its line for people.
nlohmann::ordered_json to_json(const SparseOutcome& outcome);
std::string to_text(const SparseOutcome& outcome);

}  // namespace spsolve::report
