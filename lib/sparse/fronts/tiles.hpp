#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace spsolve {

/// How the work on one front is spread: tile by tile over OpenMP threads, or one after another on
/// the thread that calls. Tiles depend on the front alone, so that the bits do, too.
class Tiles {
 public:
  explicit Tiles(int threads) : threads_(threads) {}

  /// Calls work(i) for 0 <= i < count. Tiles must not throw.
  template <typename Work>
  void run(Index count, const Work& work) const {
    if (threads_ <= 1 || count <= 1) {
      for (Index i = 0; i < count; ++i) work(i);
      return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (Index i = 0; i < count; ++i) work(i);
  }

  /// Calls work(begin, end) for pieces of begin ... end, each of `size` but for the last.
  template <typename Work>
  void run_pieces(Index begin, Index end, Index size, const Work& work) const {
    if (begin >= end) return;
    run((end - begin + size - 1) / size, [&](Index i) {
      const Index from = begin + i * size;
      work(from, std::min(from + size, end));
    });
  }

 private:
  int threads_;
};

}  // namespace spsolve
