#pragma once

#include "cuda/dense/device_blocked_rows.hpp"
#include "dense/lu/replicated_tail.hpp"

namespace spsolve::cuda::inline dense {

/// The ReplicatedTail of a team's rows in the memory of this rank's GPU.
template <typename T>
class DeviceReplicatedTail final : public ReplicatedTail<T> {
 public:
  /// This rank's rows of the matrix.
  struct Own {
    T* values;
    Index stride, height, order;
  };

  /// `refined` is that of DeviceBlockedRows.
  DeviceReplicatedTail(DenseStreams& streams, const Own& own, Index max_width,
                       FactorStore<T>& factors, bool refined);

  /// Bytes of GPU memory that it takes for `height` of `order` rows.
  static std::int64_t bytes(Index height, Index order, Index max_width, bool refined);

  std::span<T> copy_active_rows(Index first_active, Index place) override;
  BlockedRows<T>& rows() override;
  void take(Index first_active, std::span<const Index> numbers,
            std::span<const Index> swaps) override;
  std::vector<T> keep_factors(Range columns) override;

  /// How long its parts took, but for `wait`.
  LuSeconds seconds() const;

 private:
  using ReplicatedTail<T>::first;

  Index order() const { return own_.order - first(); }
  Index stride() const { return device_stride<T>(order()); }
  T* at(Index row, Index column) { return rows_.room().data() + row * stride() + column; }

  /// Own rows of the matrix from `row` on, in the rest's columns.
  T* own_at(Index row) const { return own_.values + row * own_.stride + first(); }

  DenseStreams& streams_;
  Own own_;
  FactorStore<T>& factors_;
  DeviceBlockedRows<T> rows_;
  RowSwaps swaps_;
  PinnedArray<int> numbers_staging_;
  DeviceArray<int> numbers_;
  Event updated_;
  PartClock clock_;
};

SPSOLVE_INSTANTIATED(class DeviceReplicatedTail)

}  // namespace spsolve::cuda::dense
