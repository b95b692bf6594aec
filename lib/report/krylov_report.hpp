#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "solve/inverse.hpp"

namespace spsolve::inline report {

/// The facts that a solve by a Krylov method tells of itself: as krylov.* of a report, and in a
/// line.
nlohmann::ordered_json to_json(const KrylovOutcome& outcome);
std::string to_text(const KrylovOutcome& outcome);

}  // namespace spsolve::report
