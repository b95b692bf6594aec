#include "core/error.hpp"

namespace spsolve::inline core {

void throw_error(ExitCode code, fmt::string_view text, fmt::format_args arguments, Scope scope) {
  throw Error(code, fmt::vformat(text, arguments), scope);
}

}  // namespace spsolve::core
