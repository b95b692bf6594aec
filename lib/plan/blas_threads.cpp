#include "plan/blas_threads.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>

#include "core/blas/blas.hpp"
#include "core/error.hpp"
#include "plan/memory_plan.hpp"
#include "process/system.hpp"

namespace spsolve::inline plan {

void set_blas_threads(int threads) {
  constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();
  if (left_under_process_limit() == unlimited) return blas::set_threads(threads);
#pragma omp parallel num_threads(threads)
  {
    // The threads' stacks, and arenas of the C library that they allocate from.
    void* volatile first = std::malloc(1);
    std::free(first);
  }
  constexpr std::int64_t beside = 4 << 20;  // of other mappings until it has its buffers
  const std::int64_t left = left_under_process_limit(), buffers = blas::bytes_to_map(threads);
  const std::int64_t needed = buffers > 0 ? buffers + beside : 0;
  if (needed > left) {
    fail(ExitCode::resources,
         "the limit of the process's memory (ulimit -v) leaves {}, and the BLAS takes {} with "
         "buffers of {} thread{}; raise the limit, or use fewer threads",
         readable_bytes(left), readable_bytes(needed), threads, threads == 1 ? "" : "s");
  }
  blas::map_buffers(threads);
}

}  // namespace spsolve::plan
