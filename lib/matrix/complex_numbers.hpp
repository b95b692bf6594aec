#pragma once

#include <cmath>
#include <complex>
#include <limits>

#include "core/scalar.hpp"
#include "matrix/csr.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline matrix {

/// |re + i im|, which is finite where both are.
inline double modulus(double re, double im) {
  const double square = re * re + im * im;
  constexpr double small = 0x1p-900, large = 0x1p900;
  if (square > small && square < large)
    return std::sqrt(square);  // hypot() takes ten times as long
  const double size = std::hypot(re, im);
  const bool overflows = std::isinf(size) && std::isfinite(re) && std::isfinite(im);
  return overflows ? std::numeric_limits<double>::max() : size;
}

/// |z| likewise.
template <typename T>
Real<T> modulus(const T& z) {
  if constexpr (is_complex<T>) {
    return static_cast<Real<T>>(modulus(z.real(), z.imag()));
  } else {
    return std::abs(z);
  }
}

/// The complex matrix of a real form, whatever signs rows of imaginary parts have. Cost: a pass.
template <typename T>
Csr<std::complex<T>> complex_numbers_of(const Csr<T>& form) {
  Csr<std::complex<T>> result;
  result.rows = form.rows / complex_parts;
  result.columns = form.columns / complex_parts;
  result.row_offsets.resize(static_cast<std::size_t>(result.rows) + 1);
  for (Index i = 0; i <= result.rows; ++i) {
    result.row_offsets[i] = form.row_offsets[complex_parts * i] / (complex_parts * complex_parts);
  }
  result.column_indices.resize(static_cast<std::size_t>(result.nonzeros()));
  result.values.resize(result.column_indices.size());
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < result.rows; ++i) {
    // Row 2i has s and -t of every number in turn.
    Index at = form.row_offsets[complex_parts * i];
    for (Index to = result.row_offsets[i]; to < result.row_offsets[i + 1];
         ++to, at += complex_parts) {
      result.column_indices[to] = static_cast<LocalIndex>(form.column_indices[at] / complex_parts);
      result.values[to] = {form.values[at], -form.values[at + 1]};
    }
  }
  return result;
}

}  // namespace spsolve::matrix
