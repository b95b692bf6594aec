#pragma once

#include <complex>
#include <memory>

#include "core/scalar.hpp"
#include "sparse/ranks/team_fronts.hpp"

namespace spsolve::inline sparse {

/// Makes sparse eliminations with factors in T.
template <typename T>
class EliminationsOf {
 public:
  virtual ~EliminationsOf() = default;

  /// This rank's part of an elimination by all ranks of `team`, or all of it by a rank alone.
  /// Collective.
  virtual std::unique_ptr<TeamFronts<T>> make(Team& team, const TreePartition& tree) = 0;
};

#define SPSOLVE_AND(T) , T
using FactorScalars = ScalarList<void SPSOLVE_FOR_FACTOR_SCALARS(SPSOLVE_AND)>;
#undef SPSOLVE_AND

/// Where the factors of a sparse elimination lie: makes eliminations in the memory of one kind of
/// device, for every scalar of factors, on hosts for complex ones, too.
class SparseMemory {
 public:
  using PerScalar = FactorScalars::Pointers<EliminationsOf>;

  virtual ~SparseMemory() = default;

  virtual PerScalar per_scalar() = 0;

  template <typename T>
  EliminationsOf<T>& of() {
    return *std::get<EliminationsOf<T>*>(per_scalar());
  }

  virtual MemoryKind memory() const = 0;

  /// The values of `rows`, all those of `matrix`, with or without its stored zeros, to be scaled in
  /// this memory.
  virtual std::unique_ptr<ScaledValues> values_of(const Csr<double>& rows,
                                                  SystemMatrix& /*matrix*/) {
    return host_scaled_values(rows);
  }
};

/// Eliminations by this process' threads.
SparseMemory& host_sparse_memory();

/// Eliminations of a rank alone by this process' threads, with threshold pivoting.
SparseMemory& threshold_sparse_memory();

}  // namespace spsolve::sparse
