#pragma once

#include <csignal>

namespace spsolve {

/// While it lives, an interrupt (SIGINT) ends an elimination at its next step by
/// Error(interrupted), instead of the process. For a process that works alone, and the thread that
/// signals go to; one at a time.
class EndsByInterrupt {
 public:
  EndsByInterrupt();
  ~EndsByInterrupt();
  EndsByInterrupt(const EndsByInterrupt&) = delete;
  EndsByInterrupt& operator=(const EndsByInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

/// Throws that Error where the interrupt came; every step of a long task may call it, in any
/// thread from which it may throw.
void end_where_interrupted();

}  // namespace spsolve
