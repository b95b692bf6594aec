#include "cuda/device/device_vector_memory.hpp"

#include "cuda/device/device_halo_carrier.hpp"
#include "cuda/multigrid/device_coarsening.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/device_band_products.hpp"

namespace spsolve::cuda::inline device {

namespace {

class DeviceVectorMemory final : public VectorMemory {
 public:
  explicit DeviceVectorMemory(GpuLinks* links) : links_(links) {}

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

}  // namespace

const VectorMemory& device_vector_memory() {
  static const DeviceVectorMemory memory(nullptr);
  return memory;
}

std::unique_ptr<VectorMemory> linked_vector_memory(GpuLinks& links) {
  return std::make_unique<DeviceVectorMemory>(&links);
}

}  // namespace spsolve::cuda::device
