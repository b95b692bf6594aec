#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spsolve::inline task {

/// The answers of `spsolve --help TOPIC`, from the tables of options, report fields, generators and
/// kernels.

/// The topics by name, without the single options, each of which is a topic too.
std::vector<std::string_view> help_topics();

/// The text on `topic`: the name of a section or an option, or one of help_topics().
/// Throws Error(input) with a "did you mean" and all topics where there is none of that name.
std::string help_on(std::string_view topic);

/// The exit codes, a line each.
std::string exit_code_help();

}  // namespace spsolve::task
