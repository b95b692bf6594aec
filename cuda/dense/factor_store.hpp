#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/dense/streams/dense_streams.hpp"

namespace spsolve::cuda::inline dense {

/// L and U of every panel of a team's elimination, row-major, panel width squared, in the memory of
/// each GPU: every rank solves for all pivots.
template <typename T>
class FactorStore {
 public:
  /// For panels of at most `max_width` of `order` columns; 0: for none.
  FactorStore(Index order, Index max_width)
      : max_width_(max_width), factors_(bytes(order, max_width) / sizeof(T)) {}

  /// Bytes of GPU memory that it takes.
  static std::int64_t bytes(Index order, Index max_width) {
    return order * max_width * static_cast<std::int64_t>(sizeof(T));
  }

  /// Keeps what is at `factors` in GPU memory, rows `stride` values apart, in order with `stream`.
  void store(Range panel, const T* factors, Index stride, const Stream& stream) {
    T* const there = factors_.data() + panel.first * max_width_;
    stored_[panel.first] = there;
    copy_rows(there, panel.size(), factors, stride, panel.size(), panel.size(), stream);
  }

  /// The factors of a panel, in GPU memory: those in host memory, `factors`, where none have been
  /// kept. Panels of a checkpoint may be wider than others.
  const T* find(Range panel, std::span<const T> factors) {
    const auto stored = stored_.find(panel.first);
    if (stored != stored_.end()) return stored->second;
    const auto& come = come_.emplace_back(factors);
    return stored_[panel.first] = come.data();
  }

 private:
  Index max_width_;
  DeviceArray<T> factors_;  // of the panel that begins at column j from j * max_width on
  std::vector<DeviceArray<T>> come_;
  std::map<Index, const T*> stored_;  // by first column
};

}  // namespace spsolve::cuda::dense
