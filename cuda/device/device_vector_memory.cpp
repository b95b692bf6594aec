#include "cuda/device/device_vector_memory.hpp"

#include "cuda/core/device_array.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/distribute/device_halo_carrier.hpp"
#include "cuda/multigrid/device_coarsening.hpp"
#include "cuda/multiply/cuda_kernels.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "cuda/vectors/products/device_kernel_rows.hpp"

namespace spsolve::cuda::inline device {

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
  std::unique_ptr<DeviceBlock<T>> block(Index size) override {
    return std::make_unique<CudaBlock<T>>(size);
  }
  std::unique_ptr<LocalProduct<T>> product(KernelParts<T>&& parts) override {
    return device_kernel_rows(std::move(parts));
  }
};

class DeviceVectorMemory : public VectorMemory {
 public:
  explicit DeviceVectorMemory(GpuLinks* links) : links_(links) {}

  std::string device() const override { return current_device().name; }
  std::span<const Kernel> kernels() const override { return cuda_kernels(); }
  std::string_view plain_kernel() const override { return "csr_row_split"; }
  Scalars::Pointers<DeviceMaker> makers() const override {
    static Scalars::Tuple<CudaMaker> all;
    return pointers_to(all);
  }
  std::unique_ptr<Vectors> vectors(Team& team, const RowLayout& layout,
                                   Index columns) const override {
    return std::make_unique<DeviceVectors>(team, layout, columns, links_);
  }
  std::unique_ptr<BandProducts> products(const Csr<double>& rows,
                                         Index own_columns) const override {
    return device_band_products(rows, own_columns);
  }
  std::unique_ptr<Coarsening> coarsening(const BandMatrix& matrix, Index size,
                                         Index kinds) const override {
    return device_coarsening(matrix, size, kinds);
  }
  std::unique_ptr<HaloCarrier> halo_carrier(Team& team, const HaloPlan& plan) const override {
    return device_halo_carrier(team, plan, links_);
  }

 private:
  GpuLinks* links_;
};

class ProductMemory final : public DeviceVectorMemory {
 public:
  ProductMemory(Team& team, Transport transport)
      : DeviceVectorMemory(nullptr), transports_(team, transport) {}

  std::unique_ptr<HaloCarrier> halo_carrier(Team&, const HaloPlan& plan) const override {
    return device_halo_carrier(plan, transports_);
  }

 private:
  mutable Transports transports_;
};

}  // namespace

const VectorMemory& device_vector_memory() {
  static const DeviceVectorMemory memory(nullptr);
  return memory;
}

std::unique_ptr<VectorMemory> linked_vector_memory(GpuLinks& links) {
  return std::make_unique<DeviceVectorMemory>(&links);
}

std::unique_ptr<VectorMemory> product_memory(Team& team, Transport transport) {
  return std::make_unique<ProductMemory>(team, transport);
}

}  // namespace spsolve::cuda::device
