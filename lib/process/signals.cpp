#include "process/signals.hpp"

#include <atomic>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include "core/error.hpp"
#include "process/last_words.hpp"

namespace spsolve::inline process {

namespace {

/// Ends the process by calls alone that a signal handler may make.
[[noreturn]] void end_by_bus_error(int) {
  constexpr std::string_view text =
      "spsolve: memory behind a file went away (SIGBUS): a matrix file became shorter while it was "
      "read, its disk failed, or /dev/shm is full; copy the file again, or make room\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  constexpr std::size_t before = std::string_view("spsolve: ").size();
  leave_last_words_at_once(ExitCode::resources, text.substr(before, text.size() - before - 1));
  ::_exit(static_cast<int>(ExitCode::resources));
}

std::atomic<bool> save_asked{false};
std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers set them");

void ask_to_save(int) {
  save_asked = true;
}
void ask_to_stop(int) {
  stop_asked = true;
}

}  // namespace

void turn_signals_into_errors() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, end_by_bus_error);
}

SignalRequests::SignalRequests(std::initializer_list<int> to_save,
                               std::initializer_list<int> to_stop) {
  for (const int signal : to_save) take(signal, ask_to_save);
  for (const int signal : to_stop) take(signal, ask_to_stop);
}

SignalRequests::~SignalRequests() {
  for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
}

void SignalRequests::take(int signal, void (*handler)(int)) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // whoever waits for a file or a message goes on waiting
  ::sigemptyset(&action.sa_mask);
  if (::sigaction(signal, &action, &before) == 0) before_.emplace_back(signal, before);
}

bool save_was_asked() {
  return save_asked;
}
bool stop_was_asked() {
  return stop_asked;
}
void forget_to_save() {
  save_asked = false;
}

}  // namespace spsolve::process
