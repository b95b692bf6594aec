#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "report/report.hpp"

namespace spsolve::inline report {

/// A report as one HTML page that opens from the disk: no script, no other file, pictures inline.
/// `report` is the JSON form of any task's report. First comes what was solved and how far it can
/// be trusted, then pictures (see report_pictures()), and every field folded away at the end, so
/// that a new one shows up by itself. To be read at 400 pixels and at any more of them.
std::string html_report(const nlohmann::ordered_json& report, const DrawnPatterns& patterns = {});

/// The pattern and the row lengths of a matrix as a page of its own.
std::string html_pattern(const std::string& name, const Pattern& pattern);

}  // namespace spsolve::report
