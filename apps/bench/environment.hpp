#pragma once

#include <string>

#include "apps/bench/table.hpp"

namespace spsolve::bench {

/// The machine and the programs of a measurement, and its command line as a shell would take it.
/// Every row of a CSV has them, so that files of several machines can be joined.
Cell environment_of(int argc, const char* const* argv);

/// That as text for people, with a note where the BLAS has faster kernels.
std::string text_of_environment(const Cell& environment);

}  // namespace spsolve::bench
