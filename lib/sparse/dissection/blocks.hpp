#pragma once

#include <algorithm>
#include <vector>

#include <omp.h>

#include "sparse/dissection/first_failure.hpp"
#include "sparse/dissection/part.hpp"

namespace spsolve::inline sparse::dissection {

/// Runs of a graph's vertices that tasks of the calling team share: one where there is one thread,
/// or too little for several.
class Blocks {
 public:
  Blocks(LocalIndex size, Index edges)
      : size_(size),
        count_(static_cast<int>(std::clamp<Index>((size + edges) / worthwhile, 1,
                                                  std::min(most, omp_get_num_threads())))) {}
  explicit Blocks(const GraphPart& graph) : Blocks(graph.size, graph.edges()) {}

  int count() const { return count_; }

  /// Calls work(block, first, end) for each of them.
  template <typename Work>
  void each(const Work& work) const {
    if (count_ == 1) return work(0, LocalIndex{0}, size_);
    FirstFailure failure;
    for (int block = 0; block < count_; ++block) {
#pragma omp task default(shared) firstprivate(block)
      failure.catch_from([&] { work(block, first(block), first(block + 1)); });
    }
#pragma omp taskwait
    failure.rethrow();
  }

  /// The counts before each block, where work(first, end) counts the things in it, and the sum of
  /// all at the end.
  template <typename Count, typename Work>
  std::vector<Count> starts(const Work& work) const {
    std::vector<Count> result(count_ + 1);
    each(
        [&](int block, LocalIndex first, LocalIndex end) { result[block + 1] = work(first, end); });
    for (int block = 0; block < count_; ++block) result[block + 1] += result[block];
    return result;
  }

  /// The counts before each block, without the sum of all: nothing is counted if there is one
  /// block.
  template <typename Count, typename Work>
  std::vector<Count> before_each(const Work& work) const {
    return count_ == 1 ? std::vector<Count>(1) : starts<Count>(work);
  }

 private:
  static constexpr Index worthwhile = 1 << 16;  // vertices and edges of a block, at least
  static constexpr int most = 16;

  LocalIndex first(int block) const {
    return static_cast<LocalIndex>(Index{size_} * block / count_);
  }

  LocalIndex size_;
  int count_;
};

}  // namespace spsolve::sparse::dissection
