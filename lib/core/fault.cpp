#include "core/fault.hpp"

#ifdef SPSOLVE_FAULTS

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

#include "core/error.hpp"
#include "core/pulse.hpp"

namespace spsolve {

namespace {

struct Fault {
  bool armed = false;
  int rank = 0;
  std::string phase;
  int step = 0;
  std::string action;
};

Fault fault;
std::optional<std::int64_t> gpu_memory;
std::atomic<GpuFault> on_gpu{GpuFault::none};
std::string present_phase;
int steps_in_phase = 0;

int read_number(std::string_view text, std::string_view whole) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    fail(ExitCode::input, "SPSOLVE_FAULT={}: '{}' is no number", whole, text);
  }
  return number;
}

void happen(const std::string& action) {
  if (action == "gpu_gone") on_gpu = GpuFault::gone;
  if (action == "gpu_trap") on_gpu = GpuFault::trap;
  if (action == "gpu_hang") on_gpu = GpuFault::hang;
  if (action == "kill") ::raise(SIGKILL);
  if (action == "bad_alloc") throw std::bad_alloc();
  if (action == "throw") throw std::runtime_error("an injected failure");
  if (action == "stop") ::raise(SIGSTOP);
  while (action == "hang") ::pause();
}

}  // namespace

void prepare_fault(int rank) {
  const char* const variable = std::getenv("SPSOLVE_FAULT");
  if (variable == nullptr) return;
  const std::string_view whole = variable;
  Fault wanted;
  bool of_any_rank = true;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.starts_with("rank=")) {
      wanted.rank = read_number(word.substr(5), whole);
      of_any_rank = false;
    } else if (word.starts_with("phase=")) {
      wanted.phase = word.substr(6);
    } else if (word.starts_with("step=")) {
      wanted.step = read_number(word.substr(5), whole);
    } else if (word.starts_with("gpu_memory=")) {
      gpu_memory = std::int64_t{read_number(word.substr(11), whole)} << 20;
    } else {
      wanted.action = word;
    }
  }
  if (gpu_memory) {
    if (!of_any_rank && wanted.rank != rank) gpu_memory.reset();
    return;
  }
  for (const std::string_view known :
       {"kill", "bad_alloc", "throw", "hang", "stop", "gpu_gone", "gpu_trap", "gpu_hang"}) {
    wanted.armed = wanted.armed || wanted.action == known;
  }
  if (!wanted.armed) {
    fail(ExitCode::input,
         "SPSOLVE_FAULT={}: its last word must be kill, bad_alloc, throw, hang, stop, gpu_gone, "
         "gpu_trap or "
         "gpu_hang",
         whole);
  }
  wanted.armed = wanted.rank == rank;
  fault = wanted;
}

void fault_point() {
  if (!fault.armed) return;
  std::string phase = pulse().phase_name();
  steps_in_phase = phase == present_phase ? steps_in_phase + 1 : 0;
  present_phase = std::move(phase);
  if (!fault.phase.empty() && present_phase != fault.phase) return;
  if (steps_in_phase < fault.step) return;
  fault.armed = false;
  happen(fault.action);
}

std::optional<std::int64_t> injected_gpu_memory() {
  return gpu_memory;
}

GpuFault gpu_fault() {
  return on_gpu;
}

}  // namespace spsolve

#else

namespace spsolve {

void prepare_fault(int) {}
void fault_point() {}
std::optional<std::int64_t> injected_gpu_memory() {
  return std::nullopt;
}
GpuFault gpu_fault() {
  return GpuFault::none;
}

}  // namespace spsolve

#endif
