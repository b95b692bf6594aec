#include "process/heartbeat.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/timer.hpp"
#include "process/log.hpp"

namespace spsolve::inline process {

Heartbeat::Heartbeat(std::string work, double first) {
  thread_ = std::thread([this, work = std::move(work), wait = first]() mutable {
    const Timer timer;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::duration<double>(wait), [&] { return ends_; })) {
      log_line(fmt::format("{}, {:.0f} s so far", work, timer.seconds()));
      wait = timer.seconds();
    }
  });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

}  // namespace spsolve::process
