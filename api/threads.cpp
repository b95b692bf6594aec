#include "api/threads.hpp"

#include <mutex>

#include <omp.h>

#include "core/blas/blas.hpp"

namespace spsolve {

namespace {

std::mutex mutex;
int living = 0, of_blas = 0;

}  // namespace

UsersThreads::UsersThreads() : of_regions_(omp_get_max_threads()) {
  const std::scoped_lock lock(mutex);
  if (living++ == 0) of_blas = blas::threads();
}

UsersThreads::~UsersThreads() {
  const std::scoped_lock lock(mutex);
  if (--living == 0 && of_blas > 0) blas::set_threads(of_blas);
  omp_set_num_threads(of_regions_);
}

}  // namespace spsolve
