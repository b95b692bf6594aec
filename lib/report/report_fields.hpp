#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spsolve::inline report {

/// The version of the JSON form of a report: one more whenever a field changes its meaning or goes.
/// New fields leave it as it is.
inline constexpr int report_version = 2;

enum class FieldType {
  text,
  texts,            ///< a list of texts
  integer,          ///< of at least 0
  integer_or_null,  ///< null where it is not known
  number,           ///< null where it is not finite
  boolean,
  numbers,        ///< a list of numbers
  text_by_name,   ///< an object whose values are texts
  configuration,  ///< what to_json(Config) makes
};

/// The tasks whose reports hold a field, and whether always.
enum class FieldPresence {
  always,
  finished,  ///< of every run that came to its end; so are those of solve and multiply
  failed,    ///< of every other one
  solve,
  solve_sometimes,
  multiply,
  multiply_sometimes,
  sometimes
};

/// One row of the table of what a report's JSON form may hold. The schema and the guide are made of
/// it; a new field of a report is one row here.
struct ReportField {
  /// Dotted, such as "refinement.sweeps". "*" stands for any name ("seconds.*.max"), "name[]" for
  /// every member of a list of objects ("devices[].host"), "name?" for an object that may be null.
  std::string_view path;
  FieldType type;
  FieldPresence presence;
  std::string_view help;  ///< what it is, with its formula and unit
};

std::span<const ReportField> report_fields();

/// The table for a terminal, and in Markdown with the marker lines `<!-- report:begin -->` and
/// `<!-- report:end -->` around it.
std::string report_help();
std::string report_markdown();

}  // namespace spsolve::report
