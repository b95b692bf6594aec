#pragma once

#include <span>
#include <vector>

#include <petscmat.h>

#include "spsolve/types.hpp"

namespace spsolve::sockets {

/// The rows of a matrix that this process has, compressed, columns ascending.
struct OwnRows {
  std::vector<Index> offsets = {0};
  std::vector<Index> columns;
  std::vector<PetscScalar> values;
  bool as_they_lie = false;  ///< whether `values` has the order of a SeqAIJ's own array

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
};

/// The rows of `a`, of any type that converts to AIJ; of SBAIJ both triangles.
PetscErrorCode take_rows(Mat a, OwnRows& rows);

/// A number that tells patterns apart.
std::uint64_t fingerprint_of(const OwnRows& rows);

/// The rows of all ranks, which follow each other.
using RowRanges = std::vector<Range>;

/// Of the rows of `a` as PETSc has them.
PetscErrorCode take_ranges(Mat a, RowRanges& all);

/// The ranges of which each rank names its own. Collective.
PetscErrorCode gather_ranges(MPI_Comm ranks, Range own, RowRanges& all);

/// What takes the entries of rows from the ranks that have them to those that want them.
class RowRoad {
 public:
  /// `offsets`: of this rank's rows that it has. Collective.
  PetscErrorCode open(MPI_Comm ranks, const RowRanges& has, const RowRanges& wants,
                      std::span<const Index> offsets);

  /// The entries of the rows that this rank wants; `of` is their type in MPI. Collective.
  template <typename T>
  PetscErrorCode carry(std::span<const T> entries, MPI_Datatype of, std::vector<T>& wanted) const {
    wanted.resize(static_cast<std::size_t>(wanted_));
    return carry_bytes(entries.data(), of, wanted.data());
  }

 private:
  PetscErrorCode carry_bytes(const void* entries, MPI_Datatype of, void* wanted) const;

  MPI_Comm ranks_ = MPI_COMM_NULL;
  std::vector<int> sent_, sent_from_, received_, received_to_;
  Index wanted_ = 0;
};

/// All rows on rank 0, and none elsewhere. Collective.
PetscErrorCode gather_rows(MPI_Comm ranks, const RowRanges& has, const OwnRows& own,
                           OwnRows& whole);

}  // namespace spsolve::sockets
