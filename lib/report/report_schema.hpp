#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "report/report_fields.hpp"

namespace spsolve::inline report {

/// The JSON Schema (draft 2020-12) of the file that output.report names. Strict: a field that is
/// not in the table is refused.
nlohmann::ordered_json report_schema();

/// The JSON Schema for the fields of another table.
nlohmann::ordered_json schema_of_fields(std::span<const ReportField> fields);

}  // namespace spsolve::report
