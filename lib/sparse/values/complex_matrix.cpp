#include "sparse/values/complex_matrix.hpp"

#include <algorithm>

#include "core/over_blocks.hpp"
#include "core/resize_in_threads.hpp"
#include "core/worth_threads.hpp"
#include "matrix/complex_numbers.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline sparse {

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

SymmetryFacts exact_symmetry_of(const ComplexMatrix& matrix) {
  const Csr<double>& rows = matrix.moduli;
  const std::vector<double>& parts = matrix.values;
  const double sign = matrix.conjugates ? 1 : -1;
  if (rows.rows != rows.columns) return {};
  bool symmetric = true, positive = !matrix.conjugates;
  Index zeros = 0, excess = 0;  // entries below the diagonal less those above
  const bool many = worth_threads(rows.nonzeros());
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : symmetric, positive) \
    reduction(+ : zeros, excess) if (many)
  for (Index i = 0; i < rows.rows; ++i) {
    Index k = rows.row_offsets[i];
    const Index first = k, end = rows.row_offsets[i + 1];
    for (; k < end && rows.column_indices[k] < i && symmetric; ++k) {
      const auto mirrored = rows.row_columns(rows.column_indices[k]);
      const auto place = std::lower_bound(mirrored.begin(), mirrored.end(), i);
      const Index mirror = rows.row_offsets[rows.column_indices[k]] + (place - mirrored.begin());
      symmetric = place != mirrored.end() && *place == i && parts[2 * k] == parts[2 * mirror] &&
                  parts[2 * k + 1] == sign * parts[2 * mirror + 1];
    }
    if (!symmetric) continue;
    const bool stored = k < end && rows.column_indices[k] == i;
    const double re = stored ? parts[2 * k] : 0, im = stored ? parts[2 * k + 1] : 0;
    symmetric = re == re && im == sign * im;
    positive = positive && re > 0;
    zeros += re == 0 ? complex_parts : 0;
    excess += (k - first) - (end - k - stored);
  }
  if (!symmetric || excess != 0) return {};
  SymmetryFacts facts;
  facts.symmetric_pattern = facts.symmetric = facts.nearly_symmetric = true;
  facts.positive_diagonal = positive;
  facts.zero_diagonals = zeros;
  return facts;
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
