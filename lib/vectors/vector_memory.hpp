#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/scalar.hpp"
#include "distribute/halo/halo_carrier.hpp"
#include "multiply/kernel/kernel.hpp"
#include "vectors/multivector/vectors.hpp"
#include "vectors/products/band_products.hpp"
#include "vectors/products/coarsening.hpp"

namespace spsolve::inline vectors {

template <typename T>
struct KernelParts;

/// An array in the memory of a device.
template <typename T>
class DeviceBlock {
 public:
  virtual ~DeviceBlock() = default;
  virtual T* data() = 0;
  virtual void upload(std::span<const T> host) = 0;  ///< to the front
  virtual void download(std::span<T> host) = 0;      ///< from the front
};

/// The makers of a kind of memory for numbers of type T.
template <typename T>
class DeviceMaker {
 public:
  virtual ~DeviceMaker() = default;
  virtual std::unique_ptr<DeviceBlock<T>> block(Index size) = 0;
  /// The product of rows that kernels of the memory's table were prepared for.
  virtual std::unique_ptr<LocalProduct<T>> product(KernelParts<T>&& parts) = 0;
};

/// A kind of memory that vectors lie in, and that their products with a matrix are computed in: a
/// host's, or that of this rank's GPU. Everything throws std::bad_alloc or Error(resources) on this
/// rank alone.
class VectorMemory {
 public:
  virtual ~VectorMemory() = default;

  virtual std::string device() const = 0;               ///< "host", or the model of the GPU
  virtual std::span<const Kernel> kernels() const = 0;  ///< the table of kernels
  virtual std::string_view plain_kernel() const = 0;    ///< one of them that takes any matrix
  virtual Scalars::Pointers<DeviceMaker> makers() const = 0;

  /// n x `columns` zeros, n = layout.rows.
  virtual std::unique_ptr<Vectors> vectors(Team& team, const RowLayout& layout,
                                           Index columns) const = 0;

  /// The products of `rows` as BandProducts numbers their columns.
  virtual std::unique_ptr<BandProducts> products(const Csr<double>& rows,
                                                 Index own_columns) const = 0;

  /// A maker of coarser matrices, in this memory, of one that was made for it, with nodes of `size`
  /// unknowns and a near null space of `kinds` vectors; none, on all ranks, where hosts do that.
  /// Collective.
  virtual std::unique_ptr<Coarsening> coarsening(const BandMatrix& /*matrix*/, Index /*size*/,
                                                 Index /*kinds*/) const {
    return nullptr;
  }

  /// The carrier of the halo of such vectors.
  virtual std::unique_ptr<HaloCarrier> halo_carrier(Team& team, const HaloPlan& plan) const = 0;
};

/// The maker of a memory for numbers of type T.
template <typename T>
DeviceMaker<T>& maker(const VectorMemory& memory) {
  return *std::get<DeviceMaker<T>*>(memory.makers());
}

/// Host memory.
const VectorMemory& host_vector_memory();

}  // namespace spsolve::vectors
