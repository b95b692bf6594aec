// Complex matrices on grids, whose rows are generated as those of their real form.

#include <complex>

#include "matrix/convert.hpp"
#include "matrix/generate/generated_rows.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline matrix::generated {

namespace {

/// The matrix with the pattern of grid2d:N and elements value(i, j).
template <typename Value>
Csr<double> build_on_grid(const GeneratorArguments& wanted, const Value& value) {
  const Index n = complex_parts * wanted.sizes[0] * wanted.sizes[0];
  const Index first = std::min(wanted.first_row, n), last = std::min(wanted.last_row, n);
  GeneratorArguments rows = wanted;  // of the complex matrix, which those of the form are in
  rows.first_row = first / complex_parts;
  rows.last_row = (last + complex_parts - 1) / complex_parts;
  Csr<double> s = grid2d(rows);
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

}  // namespace

// Nonsingular: the imaginary part is negative definite.
Csr<double> zhelm2d(const GeneratorArguments& arguments) {
  const Index side = arguments.sizes[0];
  return build_on_grid(arguments, [side](Index i, Index j) -> std::complex<double> {
    if (i != j) return -1;
    const Index x = i % side, y = i / side;
    const int walls = (x == 0) + (x + 1 == side) + (y == 0) + (y + 1 == side);
    return {3.625 - walls, -0x3p-7 - 0.625 * walls};
  });
}

// Positive definite, as grid2d is: phases make the smallest eigenvalue no smaller (Kato).
Csr<double> magnetic2d(const GeneratorArguments& arguments) {
  const Index side = arguments.sizes[0];
  return build_on_grid(arguments, [side](Index i, Index j) -> std::complex<double> {
    if (i == j) return 4;
    if (side == 1 || std::abs(i - j) != 1) return -1;
    constexpr std::complex<double> powers_of_i[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const std::complex<double> phase = powers_of_i[i / side % 4];
    return j > i ? -phase : -std::conj(phase);
  });
}

}  // namespace spsolve::matrix::generated
