#include "cuda/vectors/device_vector_memory.hpp"

#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/device_band_products.hpp"

namespace spsolve::cuda {

namespace {

class DeviceVectorMemory final : public VectorMemory {
 public:
  std::unique_ptr<Vectors> vectors(Team& team, const RowLayout& layout,
                                   Index columns) const override {
    return std::make_unique<DeviceVectors>(team, layout, columns);
  }
  std::unique_ptr<BandProducts> products(const Csr<double>& rows,
                                         Index own_columns) const override {
    return device_band_products(rows, own_columns);
  }
};

}  // namespace

const VectorMemory& device_vector_memory() {
  static const DeviceVectorMemory memory;
  return memory;
}

}  // namespace spsolve::cuda
