#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <span>
#include <vector>

#include <omp.h>

#include "core/blas/flushed_subnormals.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::inline sparse {

/// Which fronts are eliminated one after another by one thread, and which by all threads together:
/// the tree below its switch point is cut into subtrees, which threads take in descending order of
/// their work; the fronts above are taken in their order. In rounds, where not all that subtrees
/// pass up is to be there at a time: some neighbouring subtrees, then the fronts above that have
/// all below them.
struct Schedule {
  /// The end of a round's part of each list.
  struct Round {
    std::size_t subtrees_end = 0, steps_end = 0;
  };

  int threads = 1;
  std::vector<LocalIndex> subtrees;  ///< their topmost fronts, in each round the most work first
  std::vector<LocalIndex> upper;     ///< fronts above all subtrees, ascending
  /// Fronts of each that update all their ancestors directly; empty where none does. All their
  /// ancestors do, too, and none is in a subtree.
  std::vector<char> direct;
  /// Work for all threads together, ascending: the fronts above, and roots of subtrees with
  /// contribution blocks that are added to all ancestors, as their parents have none.
  std::vector<LocalIndex> steps;
  std::vector<Round> rounds;

  bool is_direct(LocalIndex s) const { return !direct.empty() && direct[s] != 0; }
  /// Whether the contribution block of front s is added to all its ancestors.
  bool adds_to_ancestors(const Fronts& fronts, LocalIndex s) const {
    return !direct.empty() && direct[s] == 0 && fronts.parent[s] != -1 &&
           direct[fronts.parent[s]] != 0 && fronts.border_size(s) > 0;
  }
};

/// Cuts the trees below `roots` until the largest has at most `share` of all work, or is a single
/// front. `work`: of each front.
Schedule cut_subtrees(const Fronts& fronts, const std::vector<double>& work, double share,
                      std::span<const LocalIndex> roots);
/// Cuts all trees so.
Schedule cut_subtrees(const Fronts& fronts, const std::vector<double>& work, double share);

/// `work` of the fronts, summed over the subtree of each.
std::vector<double> work_below(const Fronts& fronts, const std::vector<double>& work);

/// The subtrees of a schedule, taken by its threads side by side: each by one of as many lanes,
/// which finishes it before it takes another. The walk may be left in the middle of some, and gone
/// on with.
class SubtreeWalk {
 public:
  /// A walk over so many subtrees, or sets of them.
  SubtreeWalk(std::size_t count, int threads)
      : count_(count), under_way_(static_cast<std::size_t>(threads), none) {}

  /// Calls work(i, lane) for the i-th subtree; where that is false, the subtree is not finished,
  /// and the lane takes no other in this call. Where a call throws, no further subtree is begun,
  /// and the exception is thrown here; the walk is over then.
  template <typename Work>
  void go_on(const Work& work) {
    const int lanes = static_cast<int>(under_way_.size());
    std::exception_ptr failure;
    const bool flushes = FlushedSubnormals::here();
#pragma omp parallel num_threads(lanes) if (lanes > 1)
    {
      const FlushedSubnormals flushed(flushes, omp_get_thread_num() > 0);
      // Should there be fewer threads than lanes, none is forgotten.
      for (int lane = omp_get_thread_num(); lane < lanes; lane += omp_get_num_threads()) {
        try {
          while (take(lane) && work(under_way_[lane], lane)) under_way_[lane] = none;
        } catch (...) {
#pragma omp critical(spsolve_subtree_walk)
          failure = std::current_exception();
          next_ = count_;
        }
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// Whether the lane has a subtree, the one it had before or the next one.
  bool take(int lane) {
    if (under_way_[lane] != none) return true;
    const std::size_t i = next_++;
    if (i >= count_) return false;
    under_way_[lane] = i;
    return true;
  }

  std::size_t count_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::size_t> under_way_;  // of each lane
};

/// Walks over subtrees from beginning to end: calls work(i, thread) for the i-th of so many
/// subtrees, or sets of them.
template <typename Work>
void for_subtrees(std::size_t count, int threads, const Work& work) {
  SubtreeWalk(count, threads).go_on([&](std::size_t i, int thread) {
    work(i, thread);
    return true;
  });
}
/// Walks over the subtrees of a schedule from beginning to end.
template <typename Work>
void for_subtrees(const Schedule& schedule, const Work& work) {
  for_subtrees(schedule.subtrees.size(), schedule.threads, work);
}

/// Flops that a front of p pivots and a border of m rows is eliminated with, a multiplication and
/// an addition as two.
double front_flops(double p, double m, bool symmetric);
double front_flops(const Fronts& fronts, LocalIndex s, bool symmetric);

/// Flops and memory traffic of each front as a rough figure of nanoseconds on one core.
std::vector<double> front_work(const Fronts& fronts, bool symmetric);

/// Nanoseconds of each front on a GPU, as predictions have it.
std::vector<double> front_work_of_gpu(const Fronts& fronts, bool symmetric);

/// Entries of the contribution blocks of fronts first ... last that are there at a time, at most,
/// while these are eliminated in order, without those of `elsewhere`, which are kept in another
/// place.
Index stack_peak(const Fronts& fronts, std::span<const LocalIndex> in_order,
                 const std::vector<bool>& elsewhere, bool symmetric);

}  // namespace spsolve::sparse
