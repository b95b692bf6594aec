#pragma once

#include <omp.h>

namespace spsolve::test {

/// So many threads for parallel regions as long as the object lives; then as many as before.
class Threads {
 public:
  explicit Threads(int count) { set(count); }
  ~Threads() { set(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void set(int count) { omp_set_num_threads(count); }

 private:
  int before_ = omp_get_max_threads();
};

}  // namespace spsolve::test
