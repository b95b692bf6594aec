#include "cuda/bench/random_bands.hpp"

#include "cuda/eliminate/device_band.hpp"
#include "cuda/eliminate/device_blocked_band.hpp"
#include "distribute/cyclic_rows.hpp"
#include "distribute/row_bands.hpp"

namespace spsolve::cuda {

template <typename T>
std::unique_ptr<Band<T>> RandomBands::Maker<T>::columnwise(const Csr<double>&, Index) {
  const RowBands bands{system_.order, team_.size()};
  auto band = std::make_unique<DeviceBand<T>>(streams_, bands.band(team_.rank()), system_.order);
  band->fill_random(system_.key(), system_.diagonal);
  return band;
}

template <typename T>
std::unique_ptr<BlockedBand<T>> RandomBands::Maker<T>::blocked(const Csr<double>&, Index max_width,
                                                               bool alone, bool refined) {
  const CyclicRows dealt{system_.order, team_.size(), max_width};
  auto band = std::make_unique<DeviceBlockedBand<T>>(streams_, dealt.height(team_.rank()),
                                                     system_.order, max_width, alone, refined);
  if (alone && stored_ != nullptr) {
    band->fill(stored_, device_stride<double>(system_.order));
  } else {
    band->fill_random(system_.key(), system_.diagonal, dealt.global_rows(team_.rank()));
  }
  return band;
}

template class RandomBands::Maker<float>;
template class RandomBands::Maker<double>;

}  // namespace spsolve::cuda
