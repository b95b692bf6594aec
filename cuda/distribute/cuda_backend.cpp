#include "cuda/distribute/cuda_backend.hpp"

#include "cuda/core/device_array.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/distribute/device_halo.hpp"
#include "cuda/multiply/cuda_kernels.hpp"

namespace spsolve::cuda::inline distribute {

namespace {

template <typename T>
class CudaBlock final : public DeviceBlock<T> {
 public:
  explicit CudaBlock(Index size) : values_(size) {}
  T* data() override { return values_.data(); }
  void upload(std::span<const T> host) override { values_.upload(host); }
  void download(std::span<T> host) override { values_.download(host); }

 private:
  DeviceArray<T> values_;
};

template <typename T>
class CudaMaker final : public DeviceMaker<T> {
 public:
  explicit CudaMaker(Transports& transports) : transports_(transports) {}
  std::unique_ptr<HaloDevice<T>> halo(Team& team, const HaloPlan& plan,
                                      std::span<const LocalIndex> boundary_rows) override {
    return together(
        team, [&] { return std::make_unique<DeviceHalo<T>>(transports_, plan, boundary_rows); });
  }
  std::unique_ptr<DeviceBlock<T>> block(Index size) override {
    return std::make_unique<CudaBlock<T>>(size);
  }

 private:
  Transports& transports_;
};

}  // namespace

CudaBackend::CudaBackend(Team& team, Transport transport)
    : device_(together(team, [] { return current_device().name; })),
      transports_(team, transport),
      floats_(std::make_unique<CudaMaker<float>>(transports_)),
      doubles_(std::make_unique<CudaMaker<double>>(transports_)) {}

CudaBackend::~CudaBackend() = default;

std::span<const Kernel> CudaBackend::kernels() const {
  return cuda_kernels();
}

}  // namespace spsolve::cuda::distribute
