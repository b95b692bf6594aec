#include "vectors/vector_memory.hpp"

#include <algorithm>

#include "core/untouched_array.hpp"
#include "distribute/halo/host_halo_carrier.hpp"
#include "vectors/multivector/host_vectors.hpp"
#include "vectors/products/host_band_products.hpp"
#include "vectors/products/kernel_rows.hpp"

namespace spsolve::inline vectors {

namespace {

template <typename T>
class HostBlock final : public DeviceBlock<T> {
 public:
  explicit HostBlock(Index size) : values_(size) {}
  T* data() override { return values_.data(); }
  void upload(std::span<const T> host) override {
    std::copy(host.begin(), host.end(), values_.data());
  }
  void download(std::span<T> host) override {
    std::copy_n(values_.data(), host.size(), host.begin());
  }

 private:
  UntouchedArray<T> values_;
};

template <typename T>
class HostMaker final : public DeviceMaker<T> {
 public:
  std::unique_ptr<DeviceBlock<T>> block(Index size) override {
    return std::make_unique<HostBlock<T>>(size);
  }
  std::unique_ptr<LocalProduct<T>> product(KernelParts<T>&& parts) override {
    return host_kernel_rows(std::move(parts));
  }
};

class HostVectorMemory final : public VectorMemory {
 public:
  std::string device() const override { return "host"; }
  std::span<const Kernel> kernels() const override { return host_kernels(); }
  std::string_view plain_kernel() const override { return "csr_balanced"; }
  Scalars::Pointers<DeviceMaker> makers() const override {
    static Scalars::Tuple<HostMaker> all;
    return pointers_to(all);
  }
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
