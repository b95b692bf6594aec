#pragma once

#include <string>

#include <fmt/format.h>

#include "spsolve/error.hpp"

namespace spsolve::inline core {

/// Throws Error with a text formatted as by fmt::format.
template <typename... Arguments>
[[noreturn]] void fail(ExitCode code, fmt::format_string<Arguments...> text,
                       Arguments&&... arguments) {
  throw Error(code, fmt::format(text, std::forward<Arguments>(arguments)...));
}

/// Throws so for a failure that every rank finds at this point from data that all share.
template <typename... Arguments>
[[noreturn]] void fail_everywhere(ExitCode code, fmt::format_string<Arguments...> text,
                                  Arguments&&... arguments) {
  throw Error(code, fmt::format(text, std::forward<Arguments>(arguments)...), Scope::every_rank);
}

}  // namespace spsolve::core
