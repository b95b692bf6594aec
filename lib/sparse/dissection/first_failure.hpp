#pragma once

#include <atomic>
#include <exception>
#include <mutex>

namespace spsolve::inline sparse::dissection {

/// Carries an exception out of tasks, which no exception may leave: the first one to come.
class FirstFailure {
 public:
  template <typename Work>
  void catch_from(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      came_ = true;
    }
  }

  /// Whether one has come, so that what is left of the work is for nothing. From any thread.
  bool came() const { return came_; }

  /// After all tasks.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> came_ = false;
};

}  // namespace spsolve::sparse::dissection
