#pragma once

#include <omp.h>

#include "core/blas/blas.hpp"

namespace spsolve::inline core {

/// The BLAS on one thread, where work is spread over threads by itself or is too small for them; as
/// it was, afterwards. Meanwhile parallel regions must say that they want threads(): see
/// blas::set_threads().
class SingleThreadedBlas {
 public:
  SingleThreadedBlas() { blas::set_threads(1); }
  ~SingleThreadedBlas() {
    blas::set_threads(threads_);
    omp_set_num_threads(threads_);
  }
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

  int threads() const { return threads_; }

 private:
  int threads_ = omp_get_max_threads();
};

}  // namespace spsolve::core
