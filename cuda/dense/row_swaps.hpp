#pragma once

#include <span>
#include <vector>

#include "core/types.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/dense/streams/row_kernels.hpp"
#include "dense/state/swaps.hpp"

namespace spsolve::cuda::inline dense {

/// Swaps of rows, one after another, as the one permutation that they make.
class RowSwaps {
 public:
  /// For up to `most` swaps at a time among `rows` rows.
  RowSwaps(Index rows, Index most);

  /// Sends the permutation to the GPU, in order with `stream`. Permutations set before must have
  /// been sent by then. Rows of `lifted` count as moved though they stay.
  void set(std::span<const RowSwap> swaps, const Stream& stream, Range lifted = {});

  /// Permutes rows in the columns `columns` of `a`; those that set() had lifted come to the same
  /// columns of `lifted`, with the same stride, where it is given.
  template <typename T>
  void apply(T* a, Index stride, Range columns, const Stream& stream, T* lifted = nullptr) const {
    LiftedRows<T> place;
    if (lifted != nullptr) place = {lifted + columns.first, stride, lifted_.first, lifted_.last};
    permute_rows(a + columns.first, stride, columns.size(), moves_.data(), groups_, group_count_,
                 place, stream.get());
  }

 private:
  PinnedArray<RowMove> staging_;
  DeviceArray<RowMove> moves_;   // and after them the groups of permute_rows()
  std::vector<Index> content_;   // the row that stands at each place: the identity between calls
  const int* groups_ = nullptr;  // in GPU memory
  int group_count_ = 0;
  Range lifted_;
};

}  // namespace spsolve::cuda::dense
