#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace spsolve::bench {

/// The machine and the programs of a measurement; every row of a CSV has it, so that files of
/// several machines can be joined.
struct Environment {
  std::string processor;       ///< model, as the system names it
  int processors = 1;          ///< that this process may run on
  int host_processors = 1;     ///< of this host
  std::string thread_binding;  ///< OMP_PROC_BIND and OMP_PLACES, and the processors allowed
  std::string blas;            ///< library, kernels, threads at first
  std::string compiler;
  std::string build_type;
  std::string version;       ///< of spsolve
  std::string date;          ///< UTC, ISO 8601
  std::string command_line;  ///< as a shell would take it
};

/// The environment of this process now.
Environment environment_of(int argc, const char* const* argv);

nlohmann::ordered_json to_json(const Environment& environment);

std::string to_text(const Environment& environment);

}  // namespace spsolve::bench
