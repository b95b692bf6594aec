#include <fmt/format.h>

#include "cuda/multiply/published/symmetric_kernels.hpp"
#include "matrix/formats/colouring.hpp"

namespace spsolve::cuda::inline multiply {

template <typename T>
DeviceColored<T> DeviceColored<T>::from_csr(const Csr<T>& csr, const KernelOptions&) {
  Colouring colouring = colour_rows(csr);
  return {DeviceSymmetric<T>::from_host(SymmetricEllpack<T>::from_csr(csr, colouring.permutation)),
          std::move(colouring.color_offsets)};
}

template <typename T>
std::string DeviceColored<T>::detail() const {
  return fmt::format("{} colours", color_offsets.size() - 1);
}

SPSOLVE_INSTANTIATE(struct DeviceColored)

}  // namespace spsolve::cuda::multiply
