#include "krylov/multigrid/rigid_body_modes.hpp"
#include "krylov/preconditioner/preconditioner.hpp"

namespace spsolve::inline krylov {

NearNullSpace near_null_space_of(SystemMatrix& matrix, const Equilibration& scaling) {
  const Dense<double>& coordinates = matrix.coordinates();
  if (coordinates.columns == 0) return {};
  NearNullSpace near{coordinates.columns, rigid_body_modes(matrix.team(), coordinates)};
  const std::vector<double>& c = scaling.columns.on_host();
  for (Index i = 0; scaling.scales && i < near.vectors.rows; ++i) {
    for (Index k = 0; k < near.vectors.columns; ++k) near.vectors(i, k) /= c[i];
  }
  return near;
}

}  // namespace spsolve::krylov
