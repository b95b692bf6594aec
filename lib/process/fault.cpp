#include "process/fault.hpp"

#ifdef SPSOLVE_FAULTS

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

#include "core/error.hpp"
#include "process/interrupt.hpp"
#include "process/pulse.hpp"
#include "process/signals.hpp"

namespace spsolve::inline process {

namespace {

struct Fault {
  std::string phase;
  int step = 0;
  std::string action;
};

constexpr std::array<std::string_view, 13> actions{
    "kill", "bad_alloc", "throw",    "hang",     "stop",     "save",      "end",
    "late", "await",     "gpu_gone", "gpu_trap", "gpu_hang", "unreadable"};
constexpr double day = 86400;

std::deque<Fault> faults;  // of this rank, the next one first
std::optional<std::int64_t> gpu_memory, host_memory;
std::atomic<GpuFault> on_gpu{GpuFault::none};
std::atomic<bool> unreadable{false};
std::string present_phase;
int steps_in_phase = 0;
double seconds_passed = 0;

/// The text before `end` in `rest`, which keeps the text after it.
std::string_view take_until(char end, std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

int read_number(std::string_view text, std::string_view whole) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    fail(ExitCode::input, "SPSOLVE_FAULT={}: '{}' is no number", whole, text);
  }
  return number;
}

void wait_for_a_signal() {
  std::fputs("SPSOLVE_FAULT: waits for a signal\n", stderr);  // each rank, which the log does not
  while (!save_was_asked() && !stop_was_asked() && !is_interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void happen(std::string_view action) {
  if (action == "gpu_gone") on_gpu = GpuFault::gone;
  if (action == "gpu_trap") on_gpu = GpuFault::trap;
  if (action == "gpu_hang") on_gpu = GpuFault::hang;
  if (action == "unreadable") unreadable = true;
  if (action == "kill") ::raise(SIGKILL);
  if (action == "bad_alloc") throw std::bad_alloc();
  if (action == "throw") throw std::runtime_error("an injected failure");
  if (action == "stop") ::raise(SIGSTOP);
  if (action == "save") ::raise(SIGUSR1);
  if (action == "end") ::raise(SIGUSR2);
  if (action == "await") wait_for_a_signal();
  if (action == "late") seconds_passed += day;
  while (action == "hang") ::pause();
}

/// One fault, noted where it is one of this rank.
void read_fault(std::string_view words, int rank, std::string_view whole) {
  Fault fault;
  std::optional<std::int64_t> memory, of_host;
  bool everywhere = false, named = false;
  int of_rank = 0;
  while (!words.empty()) {
    const std::string_view word = take_until(':', words);
    if (word.starts_with("rank=")) {
      named = true;
      everywhere = word == "rank=all";
      if (!everywhere) of_rank = read_number(word.substr(5), whole);
    } else if (word.starts_with("phase=")) {
      fault.phase = word.substr(6);
    } else if (word.starts_with("step=")) {
      fault.step = read_number(word.substr(5), whole);
    } else if (word.starts_with("memory=")) {
      of_host = std::int64_t{read_number(word.substr(7), whole)} << 20;
    } else if (word.starts_with("gpu_memory=")) {
      memory = std::int64_t{read_number(word.substr(11), whole)} << 20;
    } else {
      fault.action = word;
    }
  }
  const bool mine = everywhere || of_rank == rank;
  if (memory || of_host) {
    if (mine || !named) (memory ? gpu_memory : host_memory) = memory ? memory : of_host;
    return;
  }
  if (std::ranges::find(actions, fault.action) == actions.end()) {
    fail(ExitCode::input, "SPSOLVE_FAULT={}: its last word must be one of {}", whole,
         fmt::join(actions, ", "));
  }
  if (mine) faults.push_back(std::move(fault));
}

}  // namespace

void prepare_fault(int rank) {
  const char* const variable = std::getenv("SPSOLVE_FAULT");
  if (variable == nullptr) return;
  std::string_view rest = variable;
  while (!rest.empty()) read_fault(take_until(',', rest), rank, variable);
}

void fault_point() {
  if (faults.empty()) return;
  std::string phase = pulse().phase_name();
  steps_in_phase = phase == present_phase ? steps_in_phase + 1 : 0;
  present_phase = std::move(phase);
  const Fault& next = faults.front();
  if (!next.phase.empty() && present_phase != next.phase) return;
  if (steps_in_phase < next.step) return;
  const std::string action = next.action;
  faults.pop_front();
  happen(action);
}

double injected_seconds() {
  return seconds_passed;
}

std::optional<std::int64_t> injected_gpu_memory() {
  return gpu_memory;
}

std::optional<std::int64_t> injected_memory() {
  return host_memory;
}

GpuFault gpu_fault() {
  return on_gpu;
}

bool injected_read_error() {
  return unreadable;
}

}  // namespace spsolve::process

#else

namespace spsolve::inline process {

void prepare_fault(int) {}
void fault_point() {}
double injected_seconds() {
  return 0;
}
std::optional<std::int64_t> injected_gpu_memory() {
  return std::nullopt;
}
std::optional<std::int64_t> injected_memory() {
  return std::nullopt;
}
GpuFault gpu_fault() {
  return GpuFault::none;
}
bool injected_read_error() {
  return false;
}

}  // namespace spsolve::process

#endif
