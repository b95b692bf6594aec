#include "apps/bench/gpu/random_rows.hpp"

#include "cuda/dense/columnwise/device_dense_rows.hpp"
#include "cuda/dense/device_blocked_rows.hpp"
#include "distribute/layout/row_layout.hpp"

namespace spsolve::cuda {

template <typename T>
std::unique_ptr<DenseRows<T>> RandomRows::Maker<T>::columnwise(const ScaledRows&,
                                                               const BandProducts*, Index) {
  const RowLayout bands{system_.order, team_.size()};
  auto rows =
      std::make_unique<DeviceDenseRows<T>>(streams_, bands.band(team_.rank()), system_.order);
  rows->fill_random(system_.key(), system_.diagonal);
  return rows;
}

template <typename T>
std::unique_ptr<BlockedRows<T>> RandomRows::Maker<T>::blocked(const ScaledRows&,
                                                              const BandProducts*, Index max_width,
                                                              bool alone, bool refined) {
  const RowLayout dealt = RowLayout::cyclic(system_.order, team_.size(), max_width);
  auto rows = std::make_unique<DeviceBlockedRows<T>>(streams_, dealt.height(team_.rank()),
                                                     system_.order, max_width, alone, refined);
  if (alone && stored_ != nullptr) {
    rows->fill(stored_, device_stride<double>(system_.order));
  } else {
    rows->fill_random(system_.key(), system_.diagonal, dealt.global_rows(team_.rank()));
  }
  return rows;
}

SPSOLVE_INSTANTIATE(class RandomRows::Maker)

}  // namespace spsolve::cuda
