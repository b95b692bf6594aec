#pragma once

#include <stdexcept>
#include <string>

namespace spsolve {

/// How a program of this project ends. The value is the process's exit code.
enum class ExitCode : int {
  solved = 0,           ///< the task was done and its answer can be trusted
  not_trustworthy = 1,  ///< singular matrix, no certain digit, or too large a residual
  input = 2,            ///< a file, an option or the configuration is wrong
  resources = 3,        ///< memory, disk or device is missing or too small
  internal = 4,         ///< a defect of the program
  interrupted = 5,      ///< stopped before its end, as asked; the same command goes on
};

/// The ranks that throw an Error: one rank by itself, or every rank of the team at the same point.
enum class Scope { one_rank, every_rank };

/// The one exception type. Its text is one sentence for a person: what is wrong, where, what to do.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, Scope scope = Scope::one_rank)
      : std::runtime_error(message), code_(code), scope_(scope) {}

  ExitCode code() const noexcept { return code_; }

  /// Where this is every_rank, no rank waits for another and all may end in order.
  Scope scope() const noexcept { return scope_; }

 private:
  ExitCode code_;
  Scope scope_;
};

}  // namespace spsolve
