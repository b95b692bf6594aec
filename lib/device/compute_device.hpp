#pragma once

#include <memory>
#include <string>

#include "matrix/scaled_rows.hpp"
#include "solve/operators/options.hpp"
#include "team/team.hpp"
#include "vectors/products/band_products.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve {
inline namespace solve {
class SystemMatrix;
}
inline namespace dense {
template <typename T>
class DenseRows;
template <typename T>
class BlockedRows;
}  // namespace dense
inline namespace sparse {
class SparseMemory;
SparseMemory& host_sparse_memory();
}  // namespace sparse
}  // namespace spsolve

namespace spsolve::inline device {

/// Makes the dense forms of sparse rows in T.
template <typename T>
class DenseRowsOf {
 public:
  virtual ~DenseRowsOf() = default;

  // `there`: products with the same rows, unscaled, which may lie in this memory already, or null.

  /// The rows from `first_row` on, for an elimination column by column.
  virtual std::unique_ptr<DenseRows<T>> columnwise(const ScaledRows& rows,
                                                   const BandProducts* there, Index first_row) = 0;

  /// Rows for a blocked elimination with panels of at most `max_width` columns; `alone` says that
  /// no other rank takes part, `refined` is that of EliminationChoice.
  virtual std::unique_ptr<BlockedRows<T>> blocked(const ScaledRows& rows, const BandProducts* there,
                                                  Index max_width, bool alone, bool refined) = 0;

  /// Rows for a blocked elimination from a team's `matrix` as `layout` deals them out, in blocks as
  /// wide as panels: null on every rank, and nothing done, where they do not lie in this memory.
  /// Collective.
  virtual std::unique_ptr<BlockedRows<T>> dealt(SystemMatrix&, const RowLayout&, bool refined) {
    static_cast<void>(refined);
    return nullptr;
  }
};

/// A kind of device that systems are solved on, a host or GPUs: makes dense rows, vectors and
/// sparse factors in its memory, and carries rows between the ranks' memories. Making them throws
/// std::bad_alloc or Error(resources) where memory is short.
class ComputeDevice : public ForScalars<DenseRowsOf> {
 public:
  virtual MemoryKind memory() const = 0;

  /// Memory of the same kind for sparse factors.
  virtual SparseMemory& sparse() { return host_sparse_memory(); }

  /// Memory of the same kind for vectors.
  virtual const VectorMemory& vectors() const { return host_vector_memory(); }

  /// "host", or the model of this rank's GPU.
  virtual std::string device() const = 0;

  /// How what was eliminated so far traveled between ranks: "MPI", "NCCL", ...
  virtual std::string transport() const = 0;

  /// The ranks' team with messages that lie in the dense rows' own memory.
  virtual Team& row_team() = 0;

  /// Teams likewise for the pivot rows of BlockedRows, which may travel while products run, and for
  /// the values of rows that pivots are elected from.
  virtual Team& pivot_team() = 0;
  virtual Team& candidate_team() = 0;
};

}  // namespace spsolve::device
