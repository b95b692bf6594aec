#include "process/interrupt.hpp"

#include <atomic>

#include "core/error.hpp"

namespace spsolve::inline process {

namespace {

std::atomic<int> interrupted_by{0}, last_ended_by{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets it");

void note_interrupt(int signal) {
  interrupted_by = signal;
}

}  // namespace

EndsByInterrupt::EndsByInterrupt(std::initializer_list<int> signals) {
  interrupted_by = 0;
  last_ended_by = 0;
  for (const int signal : signals) {
    struct sigaction action {};
    Before before{signal, {}};
    action.sa_handler = note_interrupt;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    if (::sigaction(signal, &action, &before.action) == 0) before_.push_back(before);
  }
}

EndsByInterrupt::~EndsByInterrupt() {
  for (const Before& before : before_) ::sigaction(before.signal, &before.action, nullptr);
  // A signal that came too late for this task goes to its handler of before.
  if (const int signal = interrupted_by.exchange(0); signal != 0) ::raise(signal);
}

bool is_interrupted() {
  return interrupted_by != 0;
}

void end_where_interrupted() {
  if (interrupted_by == 0) return;
  last_ended_by = interrupted_by.exchange(0);
  fail(ExitCode::interrupted,
       "stopped by a signal before the end, as asked; nothing is kept: with checkpoint.directory "
       "an elimination goes on where it was stopped");
}

int ended_by() {
  return last_ended_by;
}

}  // namespace spsolve::process
