#pragma once

#include <string>

#include <fmt/format.h>

#include "spsolve/error.hpp"

namespace spsolve::inline core {

/// What fail() and fail_everywhere() throw: a function, as hundreds of places do.
[[noreturn]] void throw_error(ExitCode code, fmt::string_view text, fmt::format_args arguments,
                              Scope scope);

/// Throws Error with a text formatted as by fmt::format.
template <typename... Arguments>
[[noreturn]] void fail(ExitCode code, fmt::format_string<Arguments...> text,
                       Arguments&&... arguments) {
  throw_error(code, text, fmt::make_format_args(arguments...), Scope::one_rank);
}

/// Throws so for a failure that every rank finds at this point from data that all share.
template <typename... Arguments>
[[noreturn]] void fail_everywhere(ExitCode code, fmt::format_string<Arguments...> text,
                                  Arguments&&... arguments) {
  throw_error(code, text, fmt::make_format_args(arguments...), Scope::every_rank);
}

}  // namespace spsolve::core
