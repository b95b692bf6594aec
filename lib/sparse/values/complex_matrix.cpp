#include "sparse/values/complex_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/over_blocks.hpp"
#include "core/resize_in_threads.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline sparse {

double modulus(double re, double im) {
  const double square = re * re + im * im;
  constexpr double small = 0x1p-900, large = 0x1p900;
  if (square > small && square < large)
    return std::sqrt(square);  // hypot() takes ten times as long
  const double size = std::hypot(re, im);
  const bool overflows = std::isinf(size) && std::isfinite(re) && std::isfinite(im);
  return overflows ? std::numeric_limits<double>::max() : size;
}

ComplexMatrix complex_matrix_of(const Csr<double>& form) {
  ComplexMatrix result;
  Csr<double>& moduli = result.moduli;
  moduli.rows = form.rows / complex_parts;
  moduli.columns = form.columns / complex_parts;
  moduli.row_offsets.assign(static_cast<std::size_t>(moduli.rows) + 1, 0);
  const auto entries = static_cast<std::size_t>(form.nonzeros() / 4);
  resize_in_threads(moduli.column_indices, entries);
  resize_in_threads(moduli.values, entries);
  resize_in_threads(result.values, 2 * entries);
  bool opposite = false;
  const bool many = worth_threads(form.nonzeros());
#pragma omp parallel for schedule(static) reduction(|| : opposite) if (many)
  for (Index i = 0; i < moduli.rows; ++i) {
    const Index first = form.row_offsets[2 * i] / 4, end = form.row_offsets[2 * i + 2] / 4;
    const double* upper = form.values.data() + form.row_offsets[2 * i];
    const double* lower = form.values.data() + form.row_offsets[2 * i + 1];
    const LocalIndex* column = form.column_indices.data() + form.row_offsets[2 * i];
    moduli.row_offsets[i + 1] = end;
    for (Index k = first; k < end; ++k, upper += 2, lower += 2, column += 2) {
      const double re = upper[0], im = 0 - upper[1];
      moduli.column_indices[k] = *column / 2;
      moduli.values[k] = modulus(re, im);
      result.values[2 * k] = re;
      result.values[2 * k + 1] = im;
      opposite = opposite || (re != 0 && lower[1] == -re) || (im != 0 && lower[0] == -im);
    }
  }
  result.conjugates = opposite;
  return result;
}

void ComplexMatrix::take_only(Csr<double> kept) {
  std::vector<double> taken(static_cast<std::size_t>(2 * kept.nonzeros()), 0);
  for (Index i = 0; i < kept.rows; ++i) {
    Index from = moduli.row_offsets[i];
    const Index end = moduli.row_offsets[i + 1];
    for (Index k = kept.row_offsets[i]; k < kept.row_offsets[i + 1]; ++k) {
      while (from < end && moduli.column_indices[from] < kept.column_indices[k]) ++from;
      if (from == end || moduli.column_indices[from] != kept.column_indices[k]) continue;
      std::copy_n(values.begin() + 2 * from, 2, taken.begin() + 2 * k);
    }
  }
  moduli = std::move(kept);
  values = std::move(taken);
}

}  // namespace spsolve::sparse
