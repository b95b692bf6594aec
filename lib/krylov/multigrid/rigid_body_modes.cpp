#include "krylov/multigrid/rigid_body_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/worth_threads.hpp"
#include "team/reduce.hpp"

namespace spsolve::inline krylov {

namespace {

/// The middle of all nodes, and 1 / the largest distance from it along an axis; 1 where all nodes
/// are one.
struct Frame {
  std::array<double, 3> middle{};
  double scale = 1;
};

Frame frame_of(Team& team, const Dense<double>& coordinates) {
  Frame frame;
  const auto dimensions = static_cast<std::size_t>(coordinates.columns);
  std::vector<double> sums(dimensions + 1);
  sums.back() = static_cast<double>(coordinates.rows);
  for (Index node = 0; node < coordinates.rows; ++node) {
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      sums[axis] += coordinates(node, static_cast<Index>(axis));
    }
  }
  all_sum(team, sums);
  const double nodes = std::max(1.0, sums.back());
  for (std::size_t axis = 0; axis < dimensions; ++axis) frame.middle[axis] = sums[axis] / nodes;
  double farthest = 0;
  for (Index node = 0; node < coordinates.rows; ++node) {
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      const double along = coordinates(node, static_cast<Index>(axis)) - frame.middle[axis];
      farthest = std::max(farthest, std::abs(along));
    }
  }
  farthest = all_maximum(team, farthest);
  if (farthest > 0) frame.scale = 1 / farthest;
  return frame;
}

}  // namespace

Dense<double> rigid_body_modes(Team& team, const Dense<double>& coordinates) {
  const Index d = coordinates.columns;
  const Frame frame = frame_of(team, coordinates);
  return together(team, [&] {
    Dense<double> modes(coordinates.rows * d, d * (d + 1) / 2);
#pragma omp parallel for schedule(static) if (worth_threads(coordinates.rows))
    for (Index node = 0; node < coordinates.rows; ++node) {
      std::array<double, 3> place{};
      for (Index axis = 0; axis < d; ++axis) {
        place[axis] = (coordinates(node, axis) - frame.middle[axis]) * frame.scale;
        modes(node * d + axis, axis) = 1;
      }
      // In the plane of axes p and q: -place[q] along p, place[p] along q.
      const auto rotate = [&](Index mode, Index p, Index q) {
        modes(node * d + p, mode) = -place[q];
        modes(node * d + q, mode) = place[p];
      };
      if (d == 2) {
        rotate(2, 0, 1);
      } else {
        for (Index axis = 0; axis < 3; ++axis) {
          rotate(3 + axis, (axis + 1) % 3, (axis + 2) % 3);
        }
      }
    }
    return modes;
  });
}

}  // namespace spsolve::krylov
