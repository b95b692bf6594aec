#include "core/signals.hpp"

#include <csignal>

#include <unistd.h>

#include "core/error.hpp"

namespace spsolve {

namespace {

/// Only what a signal handler may call.
[[noreturn]] void end_by_bus_error(int) {
  constexpr char text[] =
      "spsolve: memory behind a file went away (SIGBUS): a matrix file became shorter while it was "
      "read, its disk failed, or /dev/shm is full; copy the file again, or make room\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(static_cast<int>(ExitCode::resources));
}

}  // namespace

void turn_signals_into_errors() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, end_by_bus_error);
}

}  // namespace spsolve
