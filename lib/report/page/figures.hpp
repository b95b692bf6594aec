#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/page/page.hpp"

namespace spsolve::inline report {

// What a report tells in figures with a word each, made of its JSON form.

/// The few figures that a page begins with: digits, seconds, memory.
std::vector<Figure> headline_figures(const nlohmann::ordered_json& report);

/// How far x, or Y, can be trusted.
std::vector<Figure> trust_figures(const nlohmann::ordered_json& report);

/// What was asked for, and by what and where it was computed.
std::vector<Figure> run_figures(const nlohmann::ordered_json& report);

}  // namespace spsolve::report
