#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace spsolve {

/// How a program of this project ends. The value is the process's exit code.
enum class ExitCode : int {
  solved = 0,           ///< the task was done and its answer can be trusted
  not_trustworthy = 1,  ///< singular matrix, or a residual that is too large
  input = 2,            ///< a file, an option or the configuration is wrong
  resources = 3,        ///< memory, disk or device is missing or too small
  internal = 4,         ///< a defect of the program
};

/// The one exception type. Its text is one sentence for a person: what is wrong, where, what to do.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Throws Error with a text formatted as by fmt::format.
template <typename... Arguments>
[[noreturn]] void fail(ExitCode code, fmt::format_string<Arguments...> text,
                       Arguments&&... arguments) {
  throw Error(code, fmt::format(text, std::forward<Arguments>(arguments)...));
}

}  // namespace spsolve
