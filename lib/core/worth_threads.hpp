#pragma once

#include <algorithm>

#include <omp.h>

#include "core/types.hpp"

namespace spsolve::inline core {

/// Elements that are worth waking threads for: one thread goes through them in some 50 us, and
/// threads that sleep take as long to wake.
inline constexpr Index worthwhile_elements = 3 << 14;

/// Non-zeros that are worth waking threads for in a product with one vector, by any format: one
/// thread takes 30 to 100 us for so many. With 80 000 to 200 000 of them steps of Krylov methods
/// took two threads 1.2 to 1.8 times as long as one.
inline constexpr Index worthwhile_nonzeros = 13 << 14;

/// Elements that are worth waking threads for between products that others compute, on a GPU above
/// all: threads have gone to sleep by then, and to wake 16 of them can take as long as one needs
/// for so many elements.
inline constexpr Index elements_worth_waking = 1 << 17;

/// Seconds that the threads of this process that live have waited, all together, for processors
/// that others kept busy, by the kernel's count (run delay, /proc/self/task/*/schedstat); 0 where
/// it counts nothing.
double seconds_waited_for_processors();

/// Whether threads of this process have lately waited for processors that others kept busy: for
/// 15 % of the time or more. False where the kernel counts nothing, and where waiting threads sleep
/// soon, as in this project's programs: two threads that spin are what makes each other wait. Looks
/// 100 times a second at most, and takes a hundredth of the time at most.
bool processors_are_busy();

/// Whether a loop over so many elements, of which one thread does some 50 us of work with `floor`,
/// is worth threads. Where processors are busy, threads meet as late as the last of them gets its
/// turn, some milliseconds: a loop is worth them there that takes as long. No result depends on it.
inline bool worth_threads(Index elements, Index floor = worthwhile_elements) {
  constexpr Index times_when_busy = 64;
  return elements > floor && (elements > times_when_busy * floor || !processors_are_busy());
}

/// The threads for a loop over so many elements that is run often: two where it is worth threads,
/// and one more for each 16 `floor` of them. Many take longer to meet than such a loop takes: 32
/// threads needed 75 us for a step of n = 1500, which one does in 150.
inline int threads_worth(Index elements, Index floor) {
  constexpr Index floors_of_another = 16;
  if (!worth_threads(elements, floor)) return 1;
  return static_cast<int>(
      std::min<Index>(omp_get_max_threads(), 2 + elements / (floors_of_another * floor)));
}

}  // namespace spsolve::core
