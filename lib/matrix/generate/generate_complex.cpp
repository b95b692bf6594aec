// Complex matrices on grids, whose rows are generated as those of their real form.

#include <complex>
#include <numbers>
#include <vector>

#include "matrix/convert.hpp"
#include "matrix/generate/generated_rows.hpp"
#include "matrix/generate/generator_keys.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline matrix::generated {

namespace {

/// The matrix with the pattern of grid2d:N, or grid3d:N, and elements value(i, j).
template <typename Value>
Csr<double> build_on_grid(const GeneratorArguments& wanted, int axes, const Value& value) {
  const Index side = wanted.sizes[0];
  const Index n = complex_parts * side * side * (axes == 3 ? side : 1);
  const Index first = std::min(wanted.first_row, n), last = std::min(wanted.last_row, n);
  GeneratorArguments rows = wanted;  // of the complex matrix, which those of the form are in
  rows.first_row = first / complex_parts;
  rows.last_row = (last + complex_parts - 1) / complex_parts;
  Csr<double> s = axes == 3 ? grid3d(rows) : grid2d(rows);
  Csr<double> t = s;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < s.rows; ++i) {
    for (Index k = s.row_offsets[i]; k < s.row_offsets[i + 1]; ++k) {
      const std::complex<double> element = value(rows.first_row + i, Index{s.column_indices[k]});
      s.values[k] = element.real();
      t.values[k] = element.imag();
    }
  }
  const Index skipped = first % complex_parts;
  return slice_rows(real_form(s, t), skipped, skipped + last - first);
}

/// Damped Helmholtz by differences of width 1. Nonsingular: the imaginary part is negative
/// definite.
Csr<double> zhelm(const GeneratorArguments& arguments, int axes) {
  const Index side = arguments.sizes[0];
  return build_on_grid(arguments, axes, [side, axes](Index i, Index j) -> std::complex<double> {
    if (i != j) return -1;
    int walls = 0;
    for (int axis = 0; axis < axes; ++axis, i /= side) {
      walls += (i % side == 0) + (i % side + 1 == side);
    }
    return {2.0 * axes - 0.375 - walls, -0x3p-7 - 0.625 * walls};
  });
}

/// The admittance between neighbours i and j: a resistor beside a capacitor or an inductor.
std::complex<double> admittance(std::uint64_t key, Index i, Index j) {
  const auto branch = static_cast<std::uint64_t>(std::min(i, j)) * 2 + (std::abs(i - j) == 1);
  const auto bits = [&](std::uint64_t which) { return random_bits(key, 3 * branch + which); };
  const double size = log_uniform(bits(1), -4, 4);
  return {log_uniform(bits(0), -10, 0), bits(2) >> 63 == 0 ? size : -size};
}

}  // namespace

Csr<double> zhelm2d(const GeneratorArguments& arguments) {
  return zhelm(arguments, 2);
}

Csr<double> zhelm3d(const GeneratorArguments& arguments) {
  return zhelm(arguments, 3);
}

// Nonsingular: rows are strictly dominant.
Csr<double> zconvdiff2d(const GeneratorArguments& arguments) {
  return build_on_grid(arguments, 2, [](Index i, Index j) -> std::complex<double> {
    if (i == j) return {8, 0.25};
    return j > i ? std::complex<double>(-1, 0.125) : std::complex<double>(-3, -0.125);
  });
}

// Nonsingular: the real part is a sum of conductances, with one to ground at every node.
Csr<double> zcircuit2d(const GeneratorArguments& arguments) {
  const Index side = arguments.sizes[0];
  const std::uint64_t key = key_of(arguments.seed, for_values);
  return build_on_grid(arguments, 2, [=](Index i, Index j) -> std::complex<double> {
    if (i != j) return -admittance(key, i, j);
    std::complex<double> sum(0x1p-10, 0);
    if (i >= side) sum += admittance(key, i, i - side);
    if (i % side > 0) sum += admittance(key, i, i - 1);
    if ((i + 1) % side != 0) sum += admittance(key, i, i + 1);
    if (i + side < side * side) sum += admittance(key, i, i + side);
    return sum;
  });
}

// Positive definite, as grid2d is: phases make the smallest eigenvalue no smaller (Kato).
Csr<double> magnetic2d(const GeneratorArguments& arguments) {
  const Index side = arguments.sizes[0];
  return build_on_grid(arguments, 2, [side](Index i, Index j) -> std::complex<double> {
    if (i == j) return 4;
    if (side == 1 || std::abs(i - j) != 1) return -1;
    constexpr std::complex<double> powers_of_i[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const std::complex<double> phase = powers_of_i[i / side % 4];
    return j > i ? -phase : -std::conj(phase);
  });
}

// Likewise.
Csr<double> magnetic3d(const GeneratorArguments& arguments) {
  const Index side = arguments.sizes[0];
  constexpr Index period = 100;
  std::vector<std::complex<double>> phases;
  for (Index y = 0; y < period; ++y) {
    constexpr double whole_turn = 2 * std::numbers::pi;
    phases.push_back(std::polar(1.0, whole_turn * static_cast<double>(y) / period));
  }
  return build_on_grid(arguments, 3, [=](Index i, Index j) -> std::complex<double> {
    if (i == j) return 6;
    if (side == 1 || std::abs(i - j) != 1) return -1;
    const std::complex<double> phase = phases[i / side % side % period];
    return j > i ? -phase : -std::conj(phase);
  });
}

}  // namespace spsolve::matrix::generated
