#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "distribute/halo/halo_plan.hpp"
#include "multiply/kernel/kernel.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// Seconds of one distributed product on one rank, by what they went into. On a GPU pack, exchange
/// and the boundary part's product go on concurrently with the interior part.
struct ProductTimes {
  double pack = 0;      ///< own rows of X into messages
  double exchange = 0;  ///< letting messages go; on a GPU: until the last one is there
  double interior = 0;  ///< the interior part times own rows of X
  double wait = 0;      ///< for the halo, when all else is done; on a GPU: and its product
  double boundary = 0;  ///< the boundary part times the halo, and adding it to Y

  double total() const { return pack + exchange + interior + wait + boundary; }
};

/// The operations of a rank's device in one product: pack, exchange and both kernels, in this
/// order. X, Y and the halo are row-major and lie in the memory of that device; K = `columns` may
/// change from product to product.
template <typename T>
class HaloDevice {
 public:
  virtual ~HaloDevice() = default;

  /// Packs the rows of X that neighbours need, and begins to exchange them; on a GPU both begin
  /// with the call of interior(). The first time with a K, the device may try how they travel best:
  /// all ranks come here.
  virtual void start(const T* x, Index columns) = 0;

  /// Y = interior X; does not wait for the exchange.
  virtual void interior(KernelProduct<T>& product, const T* x, T* y, Index columns) = 0;

  /// Waits for the halo H; adds row i of boundary H to row boundary_rows[i] of Y. `product` is null
  /// where no row needs the halo.
  virtual void boundary(KernelProduct<T>* product, T* y, Index columns) = 0;

  /// Waits until Y of the last product is there; its times.
  virtual ProductTimes finish() = 0;

  /// How the halo of the last product's K travelled, in words; the same on every rank.
  virtual std::string transport() const { return "host memory"; }
};

/// An array in the memory of a device.
template <typename T>
class DeviceBlock {
 public:
  virtual ~DeviceBlock() = default;
  virtual T* data() = 0;
  virtual void upload(std::span<const T> host) = 0;  ///< to the front
  virtual void download(std::span<T> host) = 0;      ///< from the front
};

/// The makers of a device for numbers of type T.
template <typename T>
class DeviceMaker {
 public:
  virtual ~DeviceMaker() = default;

  /// For the plan's halo and the rows of Y that need it. Collective.
  virtual std::unique_ptr<HaloDevice<T>> halo(Team& team, const HaloPlan& plan,
                                              std::span<const LocalIndex> boundary_rows) = 0;
  virtual std::unique_ptr<DeviceBlock<T>> block(Index size) = 0;
};

/// A kind of device that a rank can multiply with.
class ProductBackend {
 public:
  virtual ~ProductBackend() = default;
  virtual std::string device() const = 0;               ///< "host", or the model of the GPU
  virtual std::span<const Kernel> kernels() const = 0;  ///< the table of kernels
  virtual std::string_view plain_kernel() const = 0;    ///< one of them that takes any matrix
  virtual DeviceMaker<float>& floats() = 0;
  virtual DeviceMaker<double>& doubles() = 0;
};

template <typename T>
DeviceMaker<T>& maker(ProductBackend& backend);
template <>
inline DeviceMaker<float>& maker(ProductBackend& backend) {
  return backend.floats();
}
template <>
inline DeviceMaker<double>& maker(ProductBackend& backend) {
  return backend.doubles();
}

}  // namespace spsolve::distribute
