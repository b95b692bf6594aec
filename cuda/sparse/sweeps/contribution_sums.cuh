#pragma once

// The values that fronts add up from their children, summed by the threads of a warp or of a thread
// block. A hub of a graph adds up tens of thousands of values in one row, other fronts one or two
// in each of a few: all that a front adds up is dealt out to threads in equal shares, wherever rows
// end. The order of every sum is fixed.

#include "cuda/core/first_from.cuh"
#include "cuda/sparse/sweeps/published.cuh"
#include "cuda/sparse/sweeps/sweep_kernels.hpp"

namespace spsolve::cuda::inline sparse {

/// The shared memory that `threads` threads need for it, for at most `most` rows.
template <typename T, int threads, int most>
struct ContributionSumSpace {
  unsigned starts[most + 1];  ///< of each row in the list of values
  T rests[threads];           ///< each thread's part of a row that another one began
};

/// space.starts <- those of `count` rows from `row` on, which are counted over all fronts.
template <typename T, int threads, int most>
__device__ void load_starts(const Sweep<T>& sweep, Index row, int count, int thread,
                            ContributionSumSpace<T, threads, most>& space) {
  for (int r = thread; r <= count; r += threads) space.starts[r] = sweep.taken_starts[row + r];
}

/// sum(r) <- sum(r) + what is handed up to row r < count, for the thread's own column: threads are
/// groups of `width`, one for each of as many columns. `wait` is the barrier of the threads; the
/// starts and sums are there for all of them before, and the results afterwards.
template <int width, typename T, int threads, int most, typename SumOf, typename Wait>
__device__ void add_contributions(const Sweep<T>& sweep, int count, int thread, int column,
                                  ContributionSumSpace<T, threads, most>& space,
                                  const SumOf& sum_of, const Wait& wait) {
  constexpr unsigned groups = threads / width;
  constexpr int batch = 8;
  const unsigned* const starts = space.starts;
  const unsigned first = starts[0], behind = starts[count];
  if (first == behind) return;
  const unsigned share = (behind - first + groups - 1) / groups;
  const unsigned begin = first + thread / width * share, end = min(begin + share, behind);
  int row = 0;
  bool is_own = false;
  if (begin < end) {
    row = first_from(starts, count, begin + 1) - 1;  // the last one that starts there or before
    is_own = starts[row] == begin;
    T sum = 0;
    const auto put_down = [&] {
      if (is_own) {
        sum_of(row) += sum;
      } else {
        space.rests[thread] = sum;
      }
    };
    for (unsigned e = begin; e < end; e += batch) {
      T* places[batch];
      T values[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        places[i] = e + i < end && column < sweep.columns
                        ? sweep.contribution + sweep.taken[e + i] * Index{sweep.columns} + column
                        : nullptr;
      }
      take_published(places, values);
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        if (e + i >= end) break;
        if (starts[row + 1] == e + i) {
          put_down();
          while (starts[row + 1] == e + i) ++row;
          is_own = true;
          sum = 0;
        }
        sum += values[i];
      }
    }
    put_down();
  }
  wait();
  if (is_own && starts[row + 1] > end) {
    const unsigned others = (starts[row + 1] - end + share - 1) / share;
    T& sum = sum_of(row);
    for (unsigned other = 1; other <= others; ++other) sum += space.rests[thread + other * width];
  }
  wait();
}

}  // namespace spsolve::cuda::sparse
