#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/timer.hpp"
#include "process/log.hpp"
#include "process/pulse.hpp"

namespace spsolve::inline process {

/// Seconds by named phase on this rank, in the order in which the phases first began.
class PhaseTimes {
 public:
  /// Runs `work` and adds its seconds to `phase`, which a verbose log tells; hands back what `work`
  /// returns.
  template <typename Work>
  decltype(auto) measure(const std::string& phase, Work&& work) {
    log_detail(phase);
    enter_phase(phase);
    Stop stop{*this, phase, Timer{}};
    return std::forward<Work>(work)();
  }

  void add(const std::string& phase, double seconds) {
    for (auto& [name, total] : phases_) {
      if (name == phase) {
        total += seconds;
        return;
      }
    }
    phases_.emplace_back(phase, seconds);
  }

  const std::vector<std::pair<std::string, double>>& phases() const { return phases_; }

 private:
  struct Stop {
    PhaseTimes& times;
    const std::string& phase;
    Timer timer;
    ~Stop() { times.add(phase, timer.seconds()); }
  };

  std::vector<std::pair<std::string, double>> phases_;
};

}  // namespace spsolve::process
