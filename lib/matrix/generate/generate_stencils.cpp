// Differences on grids of 2 and 3 dimensions, each point coupled with the next along every axis.

#include <array>

#include "matrix/generate/generated_rows.hpp"
#include "matrix/generate/generator_keys.hpp"

namespace spsolve::inline matrix::generated {

namespace {

using Point = std::array<Index, 3>;  // x, y, z, each from 0

/// The matrix of a side^axes grid, point (x, y, z) being row x + side (y + side z):
/// a_ij = -coupling(point i, axis, step) for the neighbour j of i that lies `step`, 1 or -1, along
/// `axis`, and a_ii = diagonal(inside, all), the sums of the couplings with the neighbours in the
/// grid and of those through its walls as well.
template <typename Coupling, typename Diagonal>
Csr<double> build_stencil(const GeneratorArguments& arguments, int axes, const Coupling& coupling,
                          const Diagonal& diagonal) {
  const Index side = arguments.sizes[0];
  const std::array<Index, 3> stride{1, side, side * side};
  const Index rows = axes == 2 ? side * side : side * side * side;
  const auto point_of = [=](Index i) { return Point{i % side, i / side % side, i / side / side}; };
  const auto length = [=](Index i) {
    const Point point = point_of(i);
    Index count = 1;
    for (int axis = 0; axis < axes; ++axis) count += (point[axis] > 0) + (point[axis] + 1 < side);
    return count;
  };
  return build(arguments, rows, rows, 1.0 + 2.0 * axes, length, [=](Index i, Row row) {
    const Point point = point_of(i);
    double inside = 0, all = 0;
    const auto couple = [&](int axis, int step) {
      const double strength = coupling(point, axis, step);
      all += strength;
      if (const Index to = point[axis] + step; to < 0 || to >= side) return;
      inside += strength;
      row.put(i + step * stride[axis], -strength);
    };
    for (int axis = axes - 1; axis >= 0; --axis) couple(axis, -1);
    const Index middle = row.written;
    row.put(i, 0.0);
    for (int axis = 0; axis < axes; ++axis) couple(axis, 1);
    row.values[middle] = diagonal(inside, all);
  });
}

// No function: clang 14 does not capture one by copy.
constexpr auto one = [](const Point&, int, int) { return 1.0; };

/// -div (D grad u) with D = c diag(1, .., 1, 2^-13), c of blocks of 8 cells a side, 1 or 2^20 as
/// chance has it, and u = 0 beyond the walls. Between two cells the smaller c counts.
///
/// Positive definite: a weighted Laplacian of a connected grid, whose rows at the walls are
/// strictly dominant; and as couplings are powers of two that span 34 of the 53 bits of double, no
/// sum is rounded.
Csr<double> aniso(const GeneratorArguments& arguments, int axes) {
  constexpr double jump = 0x1p20, weak = 0x1p-13;
  constexpr Index block = 8;
  const Index side = arguments.sizes[0];
  const Index blocks = (side + block - 1) / block;
  const std::uint64_t key = key_of(arguments.seed, for_values);
  const auto c = [=](const Point& at) {
    const Index number = at[0] / block + blocks * (at[1] / block + blocks * (at[2] / block));
    return random_bits(key, static_cast<std::uint64_t>(number)) >> 63 == 0 ? 1.0 : jump;
  };
  return build_stencil(
      arguments, axes,
      [=](const Point& at, int axis, int step) {
        Point next = at;
        next[axis] = std::clamp<Index>(at[axis] + step, 0, side - 1);
        return (axis + 1 == axes ? weak : 1.0) * std::min(c(at), c(next));
      },
      [](double, double all) { return all; });
}

}  // namespace

Csr<double> grid2d(const GeneratorArguments& arguments) {
  return build_stencil(arguments, 2, one, [](double, double all) { return all; });
}

Csr<double> grid3d(const GeneratorArguments& arguments) {
  return build_stencil(arguments, 3, one, [](double, double all) { return all; });
}

// Nonsingular: its rows are strictly dominant.
Csr<double> convdiff3d(const GeneratorArguments& arguments) {
  constexpr double wind = 5;
  return build_stencil(
      arguments, 3, [](const Point&, int, int step) { return step < 0 ? 1.0 + wind : 1.0; },
      [](double inside, double) { return inside + 1e-3; });
}

Csr<double> aniso2d(const GeneratorArguments& arguments) {
  return aniso(arguments, 2);
}

Csr<double> aniso3d(const GeneratorArguments& arguments) {
  return aniso(arguments, 3);
}

// Nonsingular for every N: the eigenvalues of the Laplacian are sums of an integer and of numbers
// 2 cos(pi p / q). These are algebraic integers, so a rational eigenvalue is an integer; 3/8 is
// not.
Csr<double> helmholtz2d(const GeneratorArguments& arguments) {
  return build_stencil(arguments, 2, one, [](double, double all) { return all - 0.375; });
}

}  // namespace spsolve::matrix::generated
