#pragma once

#include <algorithm>
#include <concepts>
#include <functional>

#include <omp.h>

#include "core/blas/flushed_subnormals.hpp"
#include "core/types.hpp"

namespace spsolve::inline sparse {

/// How the work on one front is spread: tile by tile over OpenMP threads, or one after another on
/// the thread that calls. Tiles depend on the front alone, so that the bits do, too.
class Tiles {
 public:
  using Tell = std::function<void(double)>;

  /// `tell` hears of parts of the work that are done, on the thread that calls.
  explicit Tiles(int threads, const Tell* tell = nullptr) : threads_(threads), tell_(tell) {}

  /// So many flops are done. May throw what ends an elimination.
  void tell(double flops) const {
    if (tell_ != nullptr && *tell_) (*tell_)(flops);
  }

  /// Calls work(i, slot) for 0 <= i < count. Tiles that are worked on at the same time have
  /// different slots, below slots(), for scratch. Tiles must not throw, and thus not allocate: an
  /// exception would end the process.
  template <typename Work>
  void run(Index count, const Work& work) const {
    if (threads_ <= 1 || count <= 1) {
      for (Index i = 0; i < count; ++i) work(i, 0);
      return;
    }
    const bool by_tile = count <= threads_;
    const bool flushes = FlushedSubnormals::here();
#pragma omp parallel num_threads(threads_)
    {
      const FlushedSubnormals flushed(flushes, omp_get_thread_num() > 0);
#pragma omp for schedule(dynamic, 1)
      for (Index i = 0; i < count; ++i) work(i, by_tile ? i : omp_get_thread_num());
    }
  }

  /// Slots of so many tiles.
  static Index slots(Index count, int threads) {
    return std::min<Index>(count, threads);
  }

  /// Calls work(begin, end), or work(begin, end, slot), for pieces of begin ... end, each of
  /// `size` but for the last.
  template <typename Work>
  void run_pieces(Index begin, Index end, Index size, const Work& work) const {
    if (begin >= end) return;
    run(count_of(end - begin, size), [&](Index i, Index slot) {
      const Index from = begin + i * size, to = std::min(from + size, end);
      if constexpr (std::invocable<Work, Index, Index, Index>) {
        work(from, to, slot);
      } else {
        work(from, to);
      }
    });
  }

  /// Pieces of that size in so many rows or columns.
  static Index count_of(Index length, Index size) {
    return (length + size - 1) / size;
  }

 private:
  int threads_;
  const Tell* tell_;
};

}  // namespace spsolve::sparse
