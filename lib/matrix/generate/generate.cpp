#include "matrix/generate/generate.hpp"

#include <limits>

#include <unistd.h>

#include "core/error.hpp"
#include "matrix/generate/generated_rows.hpp"
#include "matrix/generate/generator_keys.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline matrix {

void generated::check_memory(Index rows, Index columns, double average) {
  const double bytes =
      static_cast<double>(rows) * (sizeof(Index) + average * (sizeof(LocalIndex) + sizeof(double)));
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (memory > 0 && bytes > memory) {
    fail(ExitCode::resources,
         "the generated {} x {} matrix needs {:.1f} GB, and this machine has {:.1f} GB", rows,
         columns, bytes * 1e-9, memory * 1e-9);
  }
}

namespace {

constexpr Index most_columns = std::numeric_limits<LocalIndex>::max();

// The rules that the sizes have to obey.

/// "" if factors' product is at most the largest dimension, else a sentence.
std::string too_large(std::initializer_list<Index> factors) {
  double product = 1.0;
  for (const Index factor : factors) product *= static_cast<double>(factor);
  if (product <= static_cast<double>(most_columns)) return "";
  return fmt::format("the matrix would have {:.3g} columns, and spsolve handles at most {}",
                     product, most_columns);
}

std::string check_square(std::span<const Index> sizes) {
  return too_large({sizes[0]});
}

std::string check_grid2d(std::span<const Index> sizes) {
  return too_large({sizes[0], sizes[0]});
}

std::string check_complex_grid2d(std::span<const Index> sizes) {
  return too_large({complex_parts, sizes[0], sizes[0]});
}

std::string check_grid3d(std::span<const Index> sizes) {
  return too_large({sizes[0], sizes[0], sizes[0]});
}

std::string check_complex_grid3d(std::span<const Index> sizes) {
  return too_large({complex_parts, sizes[0], sizes[0], sizes[0]});
}

std::string check_elastic3d(std::span<const Index> sizes) {
  const Index nodes = std::min(sizes[0], most_columns) + 1;
  return too_large({3, nodes, nodes, sizes[0]});
}

std::string check_grid3d27(std::span<const Index> sizes) {
  return too_large({sizes[0], sizes[0], sizes[0], sizes[1]});
}

std::string check_power_law(std::span<const Index> sizes) {
  if (sizes[1] > sizes[0]) return "AVERAGE is larger than N";
  return too_large({sizes[0]});
}

std::string check_network(std::span<const Index> sizes) {
  if (sizes[1] > sizes[0]) return "CORE is larger than N";
  return too_large({sizes[0]});
}

constexpr Index last_step = 100;

/// Of a system of an interior-point method, whose rows are at most `times` the first size to the
/// power of `power`.
template <Index times, int power>
std::string check_interior_point(std::span<const Index> sizes) {
  if (sizes[1] > last_step) return fmt::format("STEP is larger than {}", last_step);
  return power == 3   ? too_large({times, sizes[0], sizes[0], sizes[0]})
         : power == 2 ? too_large({times, sizes[0], sizes[0]})
                      : too_large({times, sizes[0]});
}

std::string check_random_sparse(std::span<const Index> sizes) {
  if (sizes[2] > sizes[1]) return "AVERAGE is larger than COLUMNS";
  const std::string rows = too_large({sizes[0]});
  return rows.empty() ? too_large({sizes[1]}) : rows;
}

// How large the matrices are.

MatrixShape square_shape(Index n, Index nonzeros) {
  return {n, n, 0, nonzeros};
}

MatrixShape shape_grid2d(std::span<const Index> sizes) {
  const Index n = sizes[0] * sizes[0];
  return square_shape(n, 5 * n);
}

MatrixShape shape_complex_grid2d(std::span<const Index> sizes) {
  return of_real_form(shape_grid2d(sizes));
}

MatrixShape shape_grid3d(std::span<const Index> sizes) {
  const Index n = sizes[0] * sizes[0] * sizes[0];
  return square_shape(n, 7 * n);
}

MatrixShape shape_complex_grid3d(std::span<const Index> sizes) {
  return of_real_form(shape_grid3d(sizes));
}

MatrixShape shape_elastic3d(std::span<const Index> sizes) {
  const Index side = sizes[0], along = 3 * side + 1;  // pairs of neighbours along a free edge
  return square_shape(3 * side * (side + 1) * (side + 1), 9 * along * along * (3 * side - 2));
}

/// n x n with so many non-zeros a row.
template <Index average>
MatrixShape shape_network(std::span<const Index> sizes) {
  return square_shape(sizes[0], sizes[0] * std::min(average, sizes[0]));
}

MatrixShape shape_grid3d27(std::span<const Index> sizes) {
  const Index n = sizes[0] * sizes[0] * sizes[0] * sizes[1];
  return square_shape(n, 27 * sizes[1] * n);
}

MatrixShape shape_ipm_tree(std::span<const Index> sizes) {
  const Index nodes = sizes[0], arcs = nodes + (nodes - 1) / 16;
  return square_shape(nodes + arcs, 5 * arcs + nodes);
}

MatrixShape shape_ipm_flow(std::span<const Index> sizes) {
  return square_shape(3 * sizes[0], 11 * sizes[0]);
}

template <int dimensions>
MatrixShape shape_ipm_pde(std::span<const Index> sizes) {
  const Index points = dimensions == 3 ? sizes[0] * sizes[0] * sizes[0] : sizes[0] * sizes[0];
  return square_shape(3 * points, (3 + 2 * (2 + 2 * dimensions)) * points);
}

MatrixShape shape_ipm_control(std::span<const Index> sizes) {
  return square_shape(20 * sizes[0], (20 + 2 * 8 * 13) * sizes[0]);
}

MatrixShape shape_ipm_band(std::span<const Index> sizes) {
  const Index rows = sizes[0] / 3;
  return square_shape(sizes[0] + rows, sizes[0] + 9 * rows);
}

MatrixShape shape_power_law(std::span<const Index> sizes) {
  return square_shape(sizes[0], sizes[0] * sizes[1]);
}

MatrixShape shape_tridiagonal(std::span<const Index> sizes) {
  return square_shape(sizes[0], 3 * sizes[0]);
}

MatrixShape shape_full(std::span<const Index> sizes) {
  return square_shape(sizes[0], sizes[0] * sizes[0]);
}

MatrixShape shape_random_sparse(std::span<const Index> sizes) {
  return {sizes[0], sizes[1], 0, sizes[0] * sizes[2]};
}

MatrixShape shape_gfpp(std::span<const Index> sizes) {
  return square_shape(sizes[0], sizes[0] * (sizes[0] + 3) / 2);
}

constexpr Generator generator_table[] = {
    {"grid2d", "grid2d:N", false,
     "5-point Laplacian on an N x N grid: n = N^2, diagonal 4, neighbours -1; symmetric positive "
     "definite.",
     check_grid2d, shape_grid2d, generated::grid2d},
    {"grid3d", "grid3d:N", false,
     "7-point Laplacian on an N x N x N grid: n = N^3, diagonal 6, neighbours -1; symmetric "
     "positive "
     "definite.",
     check_grid3d, shape_grid3d, generated::grid3d},
    {"grid3d27", "grid3d27:N:UNKNOWNS", true,
     "27-point stencil on N^3 nodes, UNKNOWNS per node, each coupled with all of its neighbours: "
     "off-diagonals random in [-1, 0), diagonal 1 + the sum of their absolute values; symmetric "
     "positive definite.",
     check_grid3d27, shape_grid3d27, generated::grid3d27},
    {"elastic3d", "elastic3d:N", true,
     "Linear elasticity of a cube of N^3 trilinear hexahedra that is clamped at one face: 3 "
     "unknowns "
     "a node, n = 3 N (N + 1)^2, Poisson's ratio 0.3, the elements' moduli random in [1/2, 1), 72 "
     "times the stiffness; symmetric positive definite.",
     check_elastic3d, shape_elastic3d, generated::elastic3d, generated::coordinates_of_elastic3d},
    {"convdiff3d", "convdiff3d:N", false,
     "-div grad u + 5 (u_x + u_y + u_z) by 7-point upwind differences of width 1 on an N x N x N "
     "grid: neighbours -6 against the wind and -1 with it, diagonal 1e-3 + the sum of their "
     "absolute "
     "values; unsymmetric.",
     check_grid3d, shape_grid3d, generated::convdiff3d},
    {"aniso2d", "aniso2d:N", true,
     "-div (D grad u) by 5-point differences on an N x N grid: D = c diag(1, 2^-13), c of blocks "
     "of "
     "8 x 8 cells either 1 or 2^20, between two cells the smaller, diagonal the sum of the "
     "couplings "
     "with all neighbours and walls; symmetric positive definite.",
     check_grid2d, shape_grid2d, generated::aniso2d},
    {"aniso3d", "aniso3d:N", true,
     "As aniso2d by 7-point differences on an N x N x N grid: D = c diag(1, 1, 2^-13), blocks of 8 "
     "x 8 x 8 "
     "cells; symmetric positive definite.",
     check_grid3d, shape_grid3d, generated::aniso3d},
    {"helmholtz2d", "helmholtz2d:N", false,
     "-div grad u - 3/8 u by 5-point differences of width 1 on an N x N grid, 10 points a wave: "
     "diagonal 29/8, neighbours -1; symmetric indefinite, never singular.",
     check_grid2d, shape_grid2d, generated::helmholtz2d},
    {"zhelm2d", "zhelm2d:N", false,
     "-div grad u - 3/8 (1 + i/16) u by 5-point differences of width 1 on an N x N grid, 10 points "
     "a "
     "wave, walls that absorb waves to first order (u beyond a wall is (1 + 5/8 i) times that "
     "before "
     "it): damped Helmholtz; complex symmetric, nonsingular.",
     check_complex_grid2d, shape_complex_grid2d, generated::zhelm2d},
    {"zhelm3d", "zhelm3d:N", false,
     "As zhelm2d by 7-point differences on an N x N x N grid; complex symmetric, nonsingular.",
     check_complex_grid3d, shape_complex_grid3d, generated::zhelm3d},
    {"zconvdiff2d", "zconvdiff2d:N", false,
     "Convection with complex coefficients by 5-point upwind differences on an N x N grid: "
     "diagonal "
     "8 + i/4, neighbours -3 - i/8 against the wind and -1 + i/8 with it; complex unsymmetric, "
     "strictly dominant.",
     check_complex_grid2d, shape_complex_grid2d, generated::zconvdiff2d},
    {"zcircuit2d", "zcircuit2d:N", true,
     "Nodal admittances of a circuit at one frequency: between neighbours of an N x N grid a "
     "resistor, conductance log-uniform in [2^-10, 1], beside a capacitor or an inductor, "
     "susceptance log-uniform in [2^-4, 2^4] of either sign, 2^-10 from each node to the ground; "
     "complex symmetric, nonsingular.",
     check_complex_grid2d, shape_complex_grid2d, generated::zcircuit2d},
    {"magnetic2d", "magnetic2d:N", false,
     "Magnetic Laplacian on an N x N grid, a quarter of a flux quantum through every cell: "
     "diagonal "
     "4, neighbours along y -1, along x -i^y and its conjugate; Hermitian positive definite.",
     check_complex_grid2d, shape_complex_grid2d, generated::magnetic2d},
    {"magnetic3d", "magnetic3d:N", false,
     "Magnetic Laplacian on an N x N x N grid in a weak field along z, a hundredth of a flux "
     "quantum through every cell: diagonal 6, neighbours along y and z -1, along x -e^(2 pi i y / "
     "100) and its conjugate; Hermitian positive definite.",
     check_complex_grid3d, shape_complex_grid3d, generated::magnetic3d},
    {"circuit", "circuit:N", true,
     "Nodal analysis of a circuit, [G B; B' 0] of order N: a tree of wires, nets whose sizes obey "
     "a "
     "power law, transistors, supply rows with N / 16 entries, N / 32 voltage sources with zero on "
     "the diagonal, conductances log-uniform in [2^-30, 2^10); unsymmetric, nonsingular.",
     check_square, shape_network<5>, generated::circuit},
    {"network", "network:N:CORE", true,
     "Nodal analysis of a network of order N whose elimination ends in a dense core of some CORE "
     "rows: a binary tree, the first CORE nodes an expander, to which all nodes are attached by a "
     "power law, four hubs of N / 64 nodes, transistors, N / 32 voltage sources, conductances "
     "log-uniform in [2^-30, 2^10); unsymmetric, nonsingular.",
     check_network, shape_network<10>, generated::network},
    {"kkt", "kkt:N", true,
     "[H A'; A 0] of order N of a flow on the arcs of a grid of N / 3 nodes: A = +-1 at the ends "
     "of "
     "an arc, H positive definite with 2 x 2 blocks, its diagonal log-uniform in [2^-20, 2^20) as "
     "interior-point methods scale it; symmetric indefinite, nonsingular.",
     check_square, shape_network<4>, generated::kkt},
    {"ipm_tree", "ipm_tree:N:STEP", true,
     "[H A'; A 0] of an interior-point method at STEP 1 to 100: H diagonal, within 10^(+-8 STEP / "
     "100), A that of flows on a binary tree of N nodes with N / 16 chords; symmetric indefinite, "
     "nonsingular, zeros on the diagonal stored, one pattern and one spread of weights for all "
     "STEPs of a seed.",
     check_interior_point<3, 1>, shape_ipm_tree, generated::ipm_tree},
    {"ipm_flow", "ipm_flow:N:STEP", true, "The same, of flows on the arcs of a grid of N nodes.",
     check_interior_point<3, 1>, shape_ipm_flow, generated::ipm_flow},
    {"ipm_pde2d", "ipm_pde2d:N:STEP", true,
     "The same, of states and controls on an N x N grid: A = [L I], L its Laplacian.",
     check_interior_point<3, 2>, shape_ipm_pde<2>, generated::ipm_pde2d},
    {"ipm_pde3d", "ipm_pde3d:N:STEP", true, "The same on an N x N x N grid.",
     check_interior_point<3, 3>, shape_ipm_pde<3>, generated::ipm_pde3d},
    {"ipm_control", "ipm_control:N:STEP", true,
     "The same, of optimal control over N stages with 8 states and 4 controls each.",
     check_interior_point<20, 1>, shape_ipm_control, generated::ipm_control},
    {"ipm_band", "ipm_band:N:STEP", true,
     "The same with N weights and N / 3 rows of A, each with 4 normal entries: row i in columns 3 "
     "i "
     "to 3 i + 59.",
     check_interior_point<2, 1>, shape_ipm_band, generated::ipm_band},
    {"cage", "cage:N", true,
     "A random walk by 8 random permutations of N states and their inverses: off-diagonals random "
     "in "
     "[-1, 0), diagonal 1 + the sum of their absolute values; unsymmetric, an expander, whose "
     "elimination fills in.",
     check_square, shape_network<17>, generated::cage},
    {"power_law", "power_law:N:AVERAGE", true,
     "N x N, lengths of rows by a power law with the given average, the longest max(N / 20, "
     "min(N, 8 AVERAGE)), in random order; the diagonal and random columns, values random in "
     "[-1, 1).",
     check_power_law, shape_power_law, generated::power_law},
    {"tridiagonal", "tridiagonal:N", false,
     "N x N with 2 on the diagonal and -1 beside it; symmetric positive definite.", check_square,
     shape_tridiagonal, generated::tridiagonal},
    {"random_dense", "random_dense:N", true, "N x N, every element random in [-1, 1).",
     check_square, shape_full, generated::random_dense},
    {"random_sparse", "random_sparse:ROWS:COLUMNS:AVERAGE", true,
     "ROWS x COLUMNS, lengths of rows binomial around AVERAGE (0 included), columns random, values "
     "random in [-1, 1).",
     check_random_sparse, shape_random_sparse, generated::random_sparse},
    {"hilbert", "hilbert:N", false,
     "N x N with a_ij = 1 / (i + j + 1), i and j from 0; symmetric positive definite, and singular "
     "to working precision from N = 13 on.",
     check_square, shape_full, generated::hilbert},
    {"gfpp", "gfpp:N", false,
     "N x N with 1 on the diagonal and in the last column, -1 below the diagonal: partial pivoting "
     "grows its elements to 2^(N - 1), the worst case (Wilkinson).",
     check_square, shape_gfpp, generated::gfpp},
};

}  // namespace

std::uint64_t random_dense_key(Index seed) {
  return generated::key_of(seed, generated::for_values);
}

std::span<const Generator> generators() {
  return generator_table;
}

}  // namespace spsolve::matrix
