#pragma once

#include <algorithm>

#include <omp.h>

#include "core/types.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply::fast {

/// The threads that the options ask for.
inline int threads_of(const KernelOptions& options) {
  return std::max(1, options.threads > 0 ? options.threads : omp_get_max_threads());
}

/// Threads worth waking for so many multiplications: a parallel region costs some microseconds.
inline int worthwhile_threads(int threads, Index multiplications) {
  constexpr Index multiplications_per_thread = 8192;
  return static_cast<int>(
      std::clamp<Index>(multiplications / multiplications_per_thread, 1, threads));
}

/// Calls work(p) for every part p < parts, on up to `threads` threads: each part by the thread of
/// its number where there are as many, so that it finds the memory that it placed.
template <typename Work>
void for_each_part(int parts, int threads, Work&& work) {
  if (threads <= 1) {
    for (int p = 0; p < parts; ++p) work(p);
    return;
  }
#pragma omp parallel num_threads(threads)
  for (int p = omp_get_thread_num(); p < parts; p += omp_get_num_threads()) work(p);
}

/// for_each_part() with `first`, then with `second` when all threads are done with the first, in
/// one parallel region.
template <typename First, typename Second>
void for_each_part(int parts, int threads, First&& first, Second&& second) {
  if (threads <= 1) {
    for (int p = 0; p < parts; ++p) first(p);
    for (int p = 0; p < parts; ++p) second(p);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    for (int p = omp_get_thread_num(); p < parts; p += omp_get_num_threads()) first(p);
#pragma omp barrier
    for (int p = omp_get_thread_num(); p < parts; p += omp_get_num_threads()) second(p);
  }
}

/// The place of the boundary before part p when `total` is cut into `parts` equal parts.
inline Index boundary(Index total, int p, int parts) {
  return total / parts * p + total % parts * p / parts;
}

}  // namespace spsolve::multiply::fast
