#pragma once

#include "eliminate/band_factory.hpp"

namespace spsolve::test {

/// A host band whose columns are worked on as a GPU's are: the next panel's first, then pieces, of
/// 10 columns here.
template <typename T>
class PiecewiseBand final : public HostBlockedBand<T> {
 public:
  using HostBlockedBand<T>::HostBlockedBand;
  bool overlaps() const override { return true; }
  Index piece_width() const override { return 10; }
};

using PiecewiseBands = HostBandsOf<PiecewiseBand>;

}  // namespace spsolve::test
