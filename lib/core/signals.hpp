#pragma once

namespace spsolve {

/// Signals that would end a rank without a word become errors where they happen: SIGPIPE (a reader
/// of the output went away) and SIGXFSZ (a file beyond ulimit -f) make the write fail instead, and
/// SIGBUS (a mapped file that became shorter, a disk that failed under it, or no room left in
/// shared memory) says so and ends the process with ExitCode::resources. To be called once, first.
void turn_signals_into_errors();

}  // namespace spsolve
