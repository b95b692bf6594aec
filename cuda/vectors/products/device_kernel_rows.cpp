#include "cuda/vectors/products/device_kernel_rows.hpp"

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/distribute/halo_kernels.hpp"

namespace spsolve::cuda::inline vectors {

namespace {

template <typename T>
class DeviceKernelRows final : public LocalProduct<T> {
 public:
  explicit DeviceKernelRows(KernelParts<T>&& parts)
      : parts_(std::move(parts)), boundary_rows_(parts_.boundary_rows) {
    wait_for_device();  // what prepared the parts: halo_ is in order with nothing else
  }

  void multiply(HaloCarrier& carrier, const T* x, T* y, Index columns) override {
    if (columns != columns_) make_room(carrier, x, columns);
    x_ready_.record(products_);  // X may be the last product's Y
    {
      const StreamScope scope(products_);
      interior_begin_.record(products_);
      parts_.interior->multiply(x, y, columns);
      interior_end_.record(products_);
    }
    // After the launch of the interior, which takes longer than all of this.
    x_ready_.hold(halo_);
    multiply_halo(carrier, x, columns);
    // Also if nothing is added: X may be changed, and what is sent has then left.
    summed_.hold(products_);
    adding_begin_.record(products_);
    if (parts_.boundary != nullptr) {
      add_rows(sums_.data(), boundary_rows_.data(), boundary_rows_.size(), columns, y,
               products_.get());
    }
    adding_end_.record(products_);
  }

  ProductTimes finish() override {
    ProductTimes times;
    times.boundary = adding_end_.seconds_since(adding_begin_) + summed_.seconds_since(arrived_);
    times.interior = interior_end_.seconds_since(interior_begin_);
    times.wait = adding_begin_.seconds_since(interior_end_);
    halo_.wait();  // over by now; a watchdog learns so
    return times;
  }

  std::string detail() const override { return parts_.detail(); }

 private:
  void make_room(HaloCarrier& carrier, const T* x, Index columns) {
    products_.wait();
    halo_.wait();
    sums_.grow(boundary_rows_.size() * columns);
    const StreamScope scope(halo_);
    carrier.prepare(reinterpret_cast<const std::byte*>(x), columns * static_cast<Index>(sizeof(T)));
    columns_ = columns;
  }

  void multiply_halo(HaloCarrier& carrier, const T* x, Index columns) {
    const StreamScope scope(halo_);
    const T* const halo = bring(carrier, x, columns);
    arrived_.record(halo_);
    if (parts_.boundary != nullptr) parts_.boundary->multiply(halo, sums_.data(), columns);
    carrier.release();
    summed_.record(halo_);
  }

  KernelParts<T> parts_;
  Stream products_, halo_{Stream::Order::alone_and_first};
  DeviceArray<LocalIndex> boundary_rows_;
  DeviceArray<T> sums_;
  Index columns_ = 0;
  Event x_ready_, arrived_, summed_;                                 // of halo_
  Event interior_begin_, interior_end_, adding_begin_, adding_end_;  // of products_
};

}  // namespace

template <typename T>
std::unique_ptr<LocalProduct<T>> device_kernel_rows(KernelParts<T>&& parts) {
  return std::make_unique<DeviceKernelRows<T>>(std::move(parts));
}

SPSOLVE_INSTANTIATE_FUNCTION(device_kernel_rows)

}  // namespace spsolve::cuda::vectors
