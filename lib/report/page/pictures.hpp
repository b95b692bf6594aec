#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/report.hpp"

namespace spsolve::inline report {

/// Whether all members hold min, mean and max, as the seconds of phases do.
bool is_spread(const nlohmann::ordered_json& value);

/// The pictures of a report, as SVG: where the time and the memory went, how the solution
/// converged, and the patterns of the matrix and of its factors, as far as they are there.
std::vector<std::string> report_pictures(const nlohmann::ordered_json& report,
                                         const DrawnPatterns& patterns);

}  // namespace spsolve::report
