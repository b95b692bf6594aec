#pragma once

#include <memory>

#include "distribute/halo/halo_plan.hpp"
#include "vectors/multivector/vectors.hpp"
#include "vectors/products/band_products.hpp"
#include "vectors/products/coarsening.hpp"

namespace spsolve::inline vectors {

/// A kind of memory that vectors lie in, and that their products with a matrix are computed in: a
/// host's, or that of this rank's GPU. Everything throws std::bad_alloc or Error(resources) on this
/// rank alone.
class VectorMemory {
 public:
  virtual ~VectorMemory() = default;

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

/// Host memory.
const VectorMemory& host_vector_memory();

}  // namespace spsolve::vectors
