#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "matrix/pattern.hpp"

namespace spsolve::inline report {

/// The patterns of matrices that a page shows.
struct DrawnPatterns {
  std::optional<Pattern> matrix;
  std::optional<Pattern> in_order;  ///< the same in the order in which it is eliminated sparse
  std::optional<Pattern> factors;   ///< what it is factored into, in that order
};

/// A report as one HTML page that opens from the disk: no script, no other file, pictures inline.
/// `report` is the JSON form of any task's report. Drawn are every group of phases (objects whose
/// members hold min, mean and max), the convergence of refinement, the work of a sparse elimination
/// by level of its tree and, where they are there, the `patterns`; lists of objects become tables,
/// everything else lines of facts, so that a new field shows up by itself.
std::string html_report(const nlohmann::ordered_json& report, const DrawnPatterns& patterns = {});

/// The pattern and the row lengths of a matrix as a page of its own.
std::string html_pattern(const std::string& name, const Pattern& pattern);

}  // namespace spsolve::report
