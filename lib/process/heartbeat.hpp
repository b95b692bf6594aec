#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace spsolve::inline process {

/// Says in the log that work without steps of its own goes on: after 5 seconds, 10, 20 and so on,
/// until it is destroyed.
class Heartbeat {
 public:
  /// `work`: what goes on, as a line begins: "reading the matrix". `first`: seconds to the first
  /// line.
  explicit Heartbeat(std::string work, double first = 5);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace spsolve::process
