#pragma once

#include <csignal>
#include <initializer_list>
#include <utility>
#include <vector>

namespace spsolve::inline process {

/// Signals that would end a rank without a word become errors where they happen: SIGPIPE (a reader
/// of the output went away) and SIGXFSZ (a file beyond ulimit -f) make the write fail instead, and
/// SIGBUS (a mapped file that became shorter, a disk that failed under it, or no room left in
/// shared memory) says so, leaves last words and ends the process with ExitCode::resources. To be
/// called once, first.
void turn_signals_into_errors();

/// While it lives, some signals do nothing but ask this process's work for something, which it
/// looks for where it can stop: to save what it has, or to save it and stop. Afterwards they mean
/// what they meant before.
class SignalRequests {
 public:
  SignalRequests(std::initializer_list<int> to_save, std::initializer_list<int> to_stop);
  ~SignalRequests();
  SignalRequests(const SignalRequests&) = delete;
  SignalRequests& operator=(const SignalRequests&) = delete;

 private:
  void take(int signal, void (*handler)(int));

  std::vector<std::pair<int, struct sigaction>> before_;
};

/// Whether such a signal has come to this process.
bool save_was_asked();
bool stop_was_asked();

/// Forgets the request to save, as all is saved; whoever asked to stop still waits for it.
void forget_to_save();

}  // namespace spsolve::process
