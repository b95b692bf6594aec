#pragma once

#include <csignal>
#include <initializer_list>
#include <vector>

namespace spsolve::inline process {

/// While it lives, signals such as SIGINT end an elimination at its next step by
/// Error(interrupted), instead of the process. For a process that works alone, and the thread that
/// signals go to; one at a time.
class EndsByInterrupt {
 public:
  explicit EndsByInterrupt(std::initializer_list<int> signals = {SIGINT});
  ~EndsByInterrupt();
  EndsByInterrupt(const EndsByInterrupt&) = delete;
  EndsByInterrupt& operator=(const EndsByInterrupt&) = delete;

 private:
  struct Before {
    int signal;
    struct sigaction action;
  };
  std::vector<Before> before_;
};

/// Whether such a signal came, and no step has ended by it yet.
bool is_interrupted();

/// Throws that Error where the signal came; every step of a long task may call it, in any thread
/// from which it may throw.
void end_where_interrupted();

/// The signal by which a task of this process was ended so, or 0.
int ended_by();

}  // namespace spsolve::process
