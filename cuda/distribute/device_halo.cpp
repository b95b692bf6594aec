#include "cuda/distribute/device_halo.hpp"

#include "cuda/distribute/halo_kernels.hpp"

namespace spsolve::cuda::inline distribute {

template <typename T>
DeviceHalo<T>::DeviceHalo(Transports& transports, const HaloPlan& plan,
                          std::span<const LocalIndex> boundary_rows)
    : plan_(plan),
      alone_(transports.team().size() == 1),
      exchange_(transports, plan_),
      rows_to_send_(plan_.rows_to_send),
      boundary_rows_(boundary_rows) {
  wait_for_device();  // what prepared the products: halo_ is in order with nothing else
}

template <typename T>
void DeviceHalo<T>::make_room(const T* x, Index columns) {
  if (columns == columns_) return;
  products_.wait();
  halo_.wait();
  columns_ = columns;
  sums_.grow(boundary_rows_.size() * columns);
  exchange_.prepare(reinterpret_cast<const std::byte*>(x), columns * static_cast<Index>(sizeof(T)));
}

template <typename T>
void DeviceHalo<T>::start(const T* x, Index columns) {
  make_room(x, columns);
  // X may be the last product's Y.
  x_ready_.record(products_);
}

template <typename T>
void DeviceHalo<T>::interior(KernelProduct<T>& product, const T* x, T* y, Index columns) {
  const StreamScope scope(products_);
  interior_begin_.record(products_);
  product.multiply(x, y, columns);
  interior_end_.record(products_);
  // After the launch of the interior, which takes longer than all of this.
  x_ready_.hold(halo_);
  packing_.record(halo_);
  if (std::byte* const packed = exchange_.outgoing(); packed != nullptr) {
    pack_rows(x, rows_to_send_.data(), plan_.sent_rows(), columns, reinterpret_cast<T*>(packed),
              halo_.get());
  }
  packed_.record(halo_);
  exchange_.start(reinterpret_cast<const std::byte*>(x), halo_.get());
}

template <typename T>
void DeviceHalo<T>::boundary(KernelProduct<T>* product, T* y, Index columns) {
  exchange_.finish(halo_.get());
  arrived_.record(halo_);
  if (product != nullptr) {
    const StreamScope scope(halo_);
    product->multiply(reinterpret_cast<const T*>(exchange_.incoming()), sums_.data(), columns);
  }
  exchange_.release(halo_.get());
  summed_.record(halo_);
  // Also where nothing is added: X may be changed, and what is sent has then left.
  summed_.hold(products_);
  adding_begin_.record(products_);
  if (product != nullptr) {
    add_rows(sums_.data(), boundary_rows_.data(), boundary_rows_.size(), columns, y,
             products_.get());
  }
  adding_end_.record(products_);
}

template <typename T>
ProductTimes DeviceHalo<T>::finish() {
  ProductTimes times;
  times.boundary = adding_end_.seconds_since(adding_begin_) + summed_.seconds_since(arrived_);
  times.pack = packed_.seconds_since(packing_);
  times.exchange = arrived_.seconds_since(packed_);
  times.interior = interior_end_.seconds_since(interior_begin_);
  times.wait = adding_begin_.seconds_since(interior_end_);
  halo_.wait();  // over by now; a watchdog learns so
  return times;
}

template <typename T>
std::string DeviceHalo<T>::transport() const {
  return alone_ ? "none" : exchange_.name();
}

SPSOLVE_INSTANTIATE(class DeviceHalo)

}  // namespace spsolve::cuda::distribute
