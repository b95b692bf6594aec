#pragma once

#include "dense/dense_memory.hpp"

namespace spsolve::test {

/// Rows of a host whose columns are worked on as a GPU's are: the next panel's first, then pieces,
/// of 10 columns here. Teams elect pivots from all rows where few are left.
template <typename T>
class PiecewiseRows final : public HostBlockedRows<T> {
 public:
  PiecewiseRows(const Csr<double>& sparse, Index max_width, bool alone)
      : HostBlockedRows<T>(sparse, max_width, alone, 10) {}

  bool prefers_all(Range panel) const override {
    return BlockedRows<T>::order() - panel.first <= 60;
  }
};

using PiecewiseMemory = HostDenseMemoryOf<PiecewiseRows>;

}  // namespace spsolve::test
