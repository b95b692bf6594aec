#pragma once

#include "matrix/dense.hpp"
#include "team/team.hpp"

namespace spsolve::inline krylov {

/// The motions of a rigid body, which an elastic one resists nowhere: the near null space of linear
/// elasticity. `coordinates` are those of own nodes, nodes x d for d = 2 or 3; each node has d
/// unknowns, its displacements along the axes. Hands back own unknowns x d (d + 1) / 2: d shifts,
/// then rotations about the middle of all nodes,
///   d = 2: (-y, x);  d = 3: (0, -z, y), (z, 0, -x), (-y, x, 0),
/// with coordinates in units of their largest distance from the middle. Collective.
Dense<double> rigid_body_modes(Team& team, const Dense<double>& coordinates);

}  // namespace spsolve::krylov
