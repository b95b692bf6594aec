#pragma once

#include <optional>
#include <span>

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/dense/dense_streams.hpp"
#include "cuda/dense/panel/panel_lu.hpp"

namespace spsolve::cuda {

/// The candidates of all ranks of a team for a panel's pivots, and the factors of those that were
/// elected: L and U, row-major, panel width squared. It works on the stream of panels.
template <typename T>
class CandidateStack {
 public:
  /// For panels of at most `max_width` columns; 0: for none. `inverses` of L are made beside.
  CandidateStack(DenseStreams& streams, Index max_width, InvertedTriangles<T>& inverses);

  /// Bytes of GPU memory that it takes with the candidates of so many ranks.
  static std::int64_t bytes(Index max_width, int ranks) {
    return 2 * (1 + ranks) * max_width * max_width * static_cast<std::int64_t>(sizeof(T)) +
           PanelLu<T>::bytes(ranks * max_width, max_width);
  }

  // What BlockedRows has calls of the same names for. The factorisation ends with finish(); its
  // factors come to where factors() has them in order with the stream of panels, and stay there
  // until the next but one ends.
  std::span<T> candidate_buffer(Index size);
  void start(Index width, std::span<const T> candidates, std::span<const Index> counts);
  void finish(Index width, std::span<Index> order);
  void set_factors(std::span<const T> factors);
  std::span<const T> factors(Index width) const;

  const T* factors_there() const { return factors_.data(); }  ///< in GPU memory

 private:
  DenseStreams& streams_;
  Index max_width_;
  InvertedTriangles<T>& inverses_;
  DeviceArray<T> candidates_;
  DeviceArray<T> stack_;
  std::optional<PanelLu<T>> lu_;
  DeviceArray<T> factors_;
  PinnedArray<T> heard_factors_[2];  // by turns
  int turn_ = 0;
};

}  // namespace spsolve::cuda
