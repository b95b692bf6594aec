#pragma once

#include <vector>

#include <petscmat.h>

#include "spsolve/types.hpp"

namespace spsolve::sockets {

/// The rows of a matrix that this process has, compressed, columns ascending.
struct AijRows {
  std::vector<Index> offsets = {0};
  std::vector<Index> columns;
  std::vector<PetscScalar> values;
  bool as_they_lie = false;  ///< whether `values` has the order of a SeqAIJ's own array

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
};

/// The rows of `a`, of any type that converts to AIJ; of SBAIJ both triangles.
PetscErrorCode take_rows(Mat a, AijRows& rows);

/// A number that tells patterns apart.
std::uint64_t fingerprint_of(const AijRows& rows);

}  // namespace spsolve::sockets
