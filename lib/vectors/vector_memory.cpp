#include "vectors/vector_memory.hpp"

#include "vectors/multivector/host_vectors.hpp"
#include "vectors/products/host_band_products.hpp"
#include "vectors/products/host_halo_carrier.hpp"

namespace spsolve::inline vectors {

namespace {

class HostVectorMemory final : public VectorMemory {
 public:
  std::unique_ptr<Vectors> vectors(Team& team, const RowLayout& layout,
                                   Index columns) const override {
    return std::make_unique<HostVectors>(team, layout, columns);
  }
  std::unique_ptr<BandProducts> products(const Csr<double>& rows,
                                         Index own_columns) const override {
    return host_band_products(rows, own_columns);
  }
  std::unique_ptr<HaloCarrier> halo_carrier(Team& team, const HaloPlan& plan) const override {
    return host_halo_carrier(team, plan);
  }
};

}  // namespace

const VectorMemory& host_vector_memory() {
  static const HostVectorMemory memory;
  return memory;
}

}  // namespace spsolve::vectors
