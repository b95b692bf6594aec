#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "process/interrupt.hpp"

namespace spsolve::python {

/// Whether this is the thread that signals go to.
inline bool is_main_thread() {
  const nanobind::module_ threading = nanobind::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

/// Whether a signal ended the last work of this thread.
inline thread_local bool by_signal = false;

/// Runs `work` without the interpreter's lock; Ctrl-C ends it at its next step.
template <typename Work>
auto unlocked(Work&& work) {
  const bool takes_signals = is_main_thread();
  by_signal = false;
  const nanobind::gil_scoped_release released;
  std::optional<EndsByInterrupt> interrupt;
  if (takes_signals) interrupt.emplace();
  try {
    return work();
  } catch (...) {
    by_signal = takes_signals && ended_by() != 0;
    throw;
  }
}

}  // namespace spsolve::python
