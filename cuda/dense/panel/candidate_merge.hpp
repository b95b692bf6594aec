#pragma once

#include <optional>
#include <span>

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/dense/panel/panel_lu.hpp"
#include "cuda/dense/streams/dense_streams.hpp"
#include "dense/lu/blocked_rows.hpp"

namespace spsolve::cuda::inline dense {

/// The candidates of all ranks of a team for a panel's pivots, and the factors of those that were
/// elected: L and U, row-major, panel width squared. It works on the stream of panels.
template <typename T>
class CandidateMerge {
 public:
  /// For panels of at most `max_width` of `order` columns; 0: for none. `inverses` of L are made
  /// concurrently.
  CandidateMerge(DenseStreams& streams, Index order, Index max_width,
                 InvertedTriangles<T>& inverses);

  /// Bytes of GPU memory that it takes with the candidates of so many ranks.
  static std::int64_t bytes(Index order, Index max_width, int ranks);

  /// Room for the candidates of this rank, so many values, and for those of all.
  Candidates<T> room_for(Index values_of_rank, int ranks);

  // Calls that BlockedRows has under the same names; finish() follows go_on(), which launches the
  // steps that start() left. The factors come to where factors() has them in order with the stream
  // of panels, and stay there until the next but one finishes.
  void start(Index width, Index block_rows, std::span<const T> candidates,
             std::span<const Index> counts);
  void go_on(Index width);
  void finish(Index width, std::span<Index> numbers);
  void set_factors(std::span<const T> factors);
  std::span<const T> factors(Index width) const;

  const T* factors_there() const { return factors_.data(); }  ///< in GPU memory

 private:
  DenseStreams& streams_;
  Index order_;
  Index max_width_;
  InvertedTriangles<T>& inverses_;
  DeviceArray<T> candidates_;
  DeviceArray<T> gathered_;  // candidates one after another, where they don't lie so
  T* merged_ = nullptr;      // what is being eliminated
  std::optional<PanelLu<T>> lu_;
  DeviceArray<T> factors_;
  PinnedArray<T> heard_factors_[2];  // by turns
  int turn_ = 0;
};

}  // namespace spsolve::cuda::dense
