#pragma once

#include <atomic>
#include <exception>
#include <span>
#include <vector>

#include <omp.h>

#include "sparse/fronts/fronts.hpp"

namespace spsolve {

/// Which fronts are eliminated one after another by one thread, and which by all threads together:
/// the tree below its switch point is cut into subtrees, which threads take in descending order of
/// their work; the fronts above are taken in their order.
struct Schedule {
  int threads = 1;
  std::vector<LocalIndex> subtrees;  ///< their topmost fronts, the most work first
  std::vector<LocalIndex> upper;     ///< fronts above all subtrees, ascending
};

/// Cuts the trees below `roots` until the largest has at most `share` of all work, or is a single
/// front. `work`: of each front.
Schedule cut_subtrees(const Fronts& fronts, const std::vector<double>& work, double share,
                      std::span<const LocalIndex> roots);
/// The same for all trees.
Schedule cut_subtrees(const Fronts& fronts, const std::vector<double>& work, double share);

/// `work` of the fronts, summed over the subtree of each.
std::vector<double> work_below(const Fronts& fronts, const std::vector<double>& work);

/// Calls work(i, thread) for the i-th subtree of the schedule, by its threads side by side. Where a
/// call throws, no further subtree is begun, and the exception is thrown here.
template <typename Work>
void for_subtrees(const Schedule& schedule, const Work& work) {
  const std::size_t count = schedule.subtrees.size();
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
#pragma omp parallel num_threads(schedule.threads) if (schedule.threads > 1)
  {
    const int thread = omp_get_thread_num();
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i, thread);
      } catch (...) {
#pragma omp critical(spsolve_for_subtrees)
        failure = std::current_exception();
        next = count;
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Flops that a front is eliminated with, a multiplication and an addition as two.
double front_flops(const Fronts& fronts, LocalIndex s, bool symmetric);

/// Flops and memory traffic of each front as a rough figure of nanoseconds on one core.
std::vector<double> front_work(const Fronts& fronts, bool symmetric);

/// Entries of what fronts first ... last pass up that are there at a time, at most, while these are
/// eliminated in order, without those of `elsewhere`, which are kept in another place.
Index stack_peak(const Fronts& fronts, std::span<const LocalIndex> in_order,
                 const std::vector<bool>& elsewhere, bool symmetric);

}  // namespace spsolve
