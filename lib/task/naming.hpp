#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace spsolve::inline task {

/// Calls `work` with a matrix of which it does not know the name: where it refuses the matrix, what
/// it says begins with that, `source`, unless a name stands there already.
template <typename Work>
auto naming(const std::string& source, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const bool of_matrix =
        error.code() == ExitCode::input || error.code() == ExitCode::not_trustworthy;
    const std::string_view said = error.what();
    const std::string_view first_word = said.substr(0, said.find(' '));
    if (!of_matrix || first_word.ends_with(':') || said.starts_with(source)) throw;
    throw Error(error.code(), fmt::format("{}: {}", source, said), error.scope());
  }
}

}  // namespace spsolve::task
