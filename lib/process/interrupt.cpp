#include "process/interrupt.hpp"

#include <atomic>

#include "core/error.hpp"

namespace spsolve {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void note_interrupt(int) {
  interrupted = true;
}

}  // namespace

EndsByInterrupt::EndsByInterrupt() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before_);
}

EndsByInterrupt::~EndsByInterrupt() {
  ::sigaction(SIGINT, &before_, nullptr);
  // What came too late for this task is whose it was before.
  if (interrupted.exchange(false)) ::raise(SIGINT);
}

void end_where_interrupted() {
  if (!interrupted) return;
  interrupted = false;
  fail(ExitCode::interrupted, "stopped by an interrupt before its end, as asked; nothing is kept");
}

}  // namespace spsolve
