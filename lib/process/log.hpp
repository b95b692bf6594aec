#pragma once

#include <string>

namespace spsolve::inline process {

/// Sets the process's log up: to the standard error, each line with its time. Ranks other than 0
/// stay silent. `verbose` lets the phases of a task be told as they begin.
void start_log(int rank, bool verbose);

/// Says that a row of progress, without an end of line, stands on the terminal that the log goes
/// to, or no longer: lines take its place.
void row_stands(bool stands);

/// One line of the log.
void log_line(const std::string& text);

/// Whether the log is verbose.
bool tells_details();

/// One line of a verbose log.
void log_detail(const std::string& text);

}  // namespace spsolve::process
