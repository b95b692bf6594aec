#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <omp.h>

#include "core/types.hpp"
#include "multiply/kernel/fast_team.hpp"

namespace spsolve::inline multiply {

/// Consecutive rows that a product sums up together, at most: so few that their sums stay in a
/// core's first cache until they are used.
inline constexpr Index rows_of_block = 512;

/// The rows of a matrix in blocks, which depend on nothing but their number, dealt out to threads
/// by rows and non-zeros. Few rows are in smaller blocks, so that threads have equal shares.
class RowBlocks {
 public:
  RowBlocks() = default;
  explicit RowBlocks(const std::vector<Index>& row_offsets);

  Index count() const { return static_cast<Index>(steps_.size()) - 1; }
  Index row_count() const { return rows_; }
  Index rows_each() const { return rows_each_; }  ///< but for the last block
  Range rows(Index block) const {
    return {block * rows_each_, std::min((block + 1) * rows_each_, rows_)};
  }
  Index steps() const { return steps_.back(); }  ///< rows and non-zeros

  /// work(block, end) for consecutive blocks from `block` to before `end`, which threads take.
  template <typename Work>
  void for_each_share(int threads, Work&& work) const {
    if (std::min<Index>(threads, count()) <= 1) return work(Index{0}, count());
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num(), all = omp_get_num_threads();
      work(first_of(thread, all), first_of(thread + 1, all));
    }
  }

  /// work(block) for all blocks, by threads.
  template <typename Work>
  void for_each(int threads, Work&& work) const {
    for_each_share(threads, [&](Index first, Index end) {
      for (Index block = first; block < end; ++block) work(block);
    });
  }

 private:
  /// The first block of a thread's share.
  Index first_of(int thread, int threads) const {
    const Index share = fast::boundary(steps(), thread, threads);
    return std::lower_bound(steps_.begin(), steps_.end(), share) - steps_.begin();
  }

  Index rows_ = 0, rows_each_ = rows_of_block;
  std::vector<Index> steps_{0};  // before each block, and of all
};

/// A matrix in a format that is multiplied block by block of its rows. The sum of a row depends on
/// the matrix alone, not on threads.
template <typename T>
class RowBlockProduct {
 public:
  explicit RowBlockProduct(RowBlocks blocks, int threads)
      : blocks_(std::move(blocks)), threads_(threads) {}
  virtual ~RowBlockProduct() = default;
  RowBlockProduct(RowBlockProduct&&) = default;
  RowBlockProduct& operator=(RowBlockProduct&&) = default;

  const RowBlocks& blocks() const { return blocks_; }

  /// Y = A X for the rows of a block, of which y is the first; `streaming`: Y may be stored past
  /// the caches.
  virtual void multiply_block(Index block, const T* x, T* y, Index columns,
                              bool streaming) const = 0;

  virtual std::int64_t bytes() const = 0;

  /// The most columns of X that the format is made for; more take their time.
  virtual Index most_columns() const { return std::numeric_limits<Index>::max(); }

  /// work(block) for all blocks of the product at hand, by threads, which go through theirs
  /// forwards and backwards in turns: each product begins with what the one before it left in the
  /// caches, where one that begins at the same end finds nothing there of a matrix that is larger
  /// than they are.
  template <typename Work>
  void walk(int threads, Work&& work) {
    const bool backwards = backwards_;
    blocks_.for_each_share(threads, [&](Index first, Index end) {
      for (Index k = first; k < end; ++k) work(backwards ? end - 1 - (k - first) : k);
    });
    backwards_ = !backwards_;
  }

  /// Y = A X. Cost: 2 nnz K.
  void multiply(const T* x, T* y, Index columns) {
    // Measured: from 32 MB on 10 to 30 % less time, below 24 MB up to 10 % more.
    constexpr Index streamed_bytes = Index{24} << 20;
    const bool streaming =
        blocks_.row_count() * columns * static_cast<Index>(sizeof(T)) > streamed_bytes;
    const Index multiplications = (blocks_.steps() - blocks_.row_count()) * columns;
    walk(fast::worthwhile_threads(threads_, multiplications), [&](Index block) {
      multiply_block(block, x, y + blocks_.rows(block).first * columns, columns, streaming);
    });
  }

 private:
  RowBlocks blocks_;
  int threads_;
  bool backwards_ = false;
};

}  // namespace spsolve::multiply
