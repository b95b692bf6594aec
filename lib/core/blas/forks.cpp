#include "core/blas/forks.hpp"

#include <omp.h>
#include <pthread.h>

#include "core/blas/blas.hpp"

namespace spsolve::inline core {

namespace {

thread_local bool threads_are_left = false;

void end_threads() {
  threads_are_left = omp_pause_resource_all(omp_pause_hard) != 0;
}

void take_one_thread() {
  if (!threads_are_left) return;
  omp_set_num_threads(1);
  blas::set_threads(1);
}

}  // namespace

bool prepare_for_forks() {
  return ::pthread_atfork(end_threads, nullptr, take_one_thread) == 0;
}

}  // namespace spsolve::core
