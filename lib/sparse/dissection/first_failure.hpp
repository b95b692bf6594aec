#pragma once

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
    }
  }

  /// After all tasks.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace spsolve::sparse::dissection
