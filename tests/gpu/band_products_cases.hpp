#pragma once

// Bands of matrices, and their products in the memory of hosts and of GPUs.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "cuda/vectors/products/device_band_products.hpp"
#include "gpu/vector_pairs.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/real_form.hpp"
#include "vectors/products/host_band_products.hpp"

namespace spsolve::cuda {

/// Rows of these lengths, spread over the columns, of values in [-1, 1).
inline Csr<double> rows_of_lengths(const std::vector<Index>& lengths, Index columns) {
  Csr<double> matrix;
  matrix.rows = static_cast<Index>(lengths.size());
  matrix.columns = columns;
  for (const Index length : lengths) {
    const Index i = static_cast<Index>(matrix.row_offsets.size()) - 1;
    for (Index k = 0; k < length; ++k) {
      const Index step = columns / length;
      matrix.column_indices.push_back(static_cast<LocalIndex>(k * step + (i + 3 * k) % step));
    }
    matrix.row_offsets.push_back(matrix.row_offsets.back() + length);
  }
  matrix.values = random_multivector(matrix.nonzeros(), 1, 5).values;
  return matrix;
}

/// Short rows in groups of so many with the same columns.
inline Csr<double> rows_in_groups(Index together) {
  constexpr Index groups = 167, length = 7;
  const Index columns = groups * together;
  const Csr<double> one = rows_of_lengths(std::vector<Index>(groups, length), columns);
  Csr<double> matrix = rows_of_lengths(std::vector<Index>(columns, length), columns);
  for (Index i = 0; i < matrix.rows; ++i) {
    std::ranges::copy(one.row_columns(i / together),
                      matrix.column_indices.begin() + matrix.row_offsets[i]);
  }
  return matrix;
}

/// The real form of complex numbers in rows of these lengths.
inline Csr<double> complex_rows_of_lengths(const std::vector<Index>& lengths, Index columns,
                                           bool conjugates) {
  const Csr<double> s = rows_of_lengths(lengths, columns);
  Csr<double> t = s;
  std::ranges::reverse(t.values);
  Csr<double> form = real_form(s, t);
  if (conjugates) conjugate_rows(form);
  return form;
}

/// Matrices of rows from empty to 20 000 entries, the shares of lanes that their means lead to, and
/// halos of any size.
inline std::vector<Csr<double>> matrices() {
  std::vector<Csr<double>> result;
  result.push_back(rows_of_lengths({}, 0));
  result.push_back(rows_of_lengths({1}, 1));
  result.push_back(rows_of_lengths({0, 0, 0}, 7));
  result.push_back(
      rows_of_lengths({0, 1, 2, 3, 5, 31, 0, 32, 33, 100, 1000, 19999, 20000, 4}, 20000));
  for (const Index length : {1, 4, 5, 9, 17, 33, 64, 200}) {
    result.push_back(rows_of_lengths(std::vector<Index>(301, length), 400));
  }
  result.push_back(rows_of_lengths(std::vector<Index>(5000, 5), 5000));
  for (const Index length : {3, 9}) {  // hubs among short rows, two of them side by side
    std::vector<Index> lengths(2000, length);
    lengths[40] = lengths[41] = 257;
    lengths[1000] = 20000;
    lengths[1999] = 600;
    result.push_back(rows_of_lengths(lengths, 20000));
  }
  // Full rows, and some that are not quite.
  for (const Index order : {511, 512, 603}) {
    result.push_back(rows_of_lengths(std::vector<Index>(order, order), order));
  }
  result.push_back(rows_of_lengths(std::vector<Index>(7, 600), 600));
  std::vector<Index> lengths(520, 520);
  lengths[519] = 260;
  result.push_back(rows_of_lengths(lengths, 520));
  // Rows of few types: all of a grid, and the first ones of it, followed by the others' rows.
  result.push_back(generate_matrix("grid2d:70"));
  result.push_back(generate_rows("grid2d:70", 0, 1000));
  result.back().columns = 1070;
  // Enough of them for many columns to be beyond caches: threads go from plane to plane then.
  result.push_back(generate_matrix("grid3d:45"));
  result.push_back(generate_rows("grid3d:45", 0, 60000));
  result.back().columns = 60000 + 45 * 45;
  // Rows in groups: the unknowns of nodes, two to six of them, and some with halo.
  for (const char* const nodes : {"grid3d27:5:2", "grid3d27:5:3", "grid3d27:4:6"}) {
    result.push_back(generate_matrix(nodes));
  }
  result.push_back(generate_rows("grid3d27:6:3", 0, 301));
  for (const Index together : {2, 3, 4, 5, 6}) result.push_back(rows_in_groups(together));
  result.push_back(rows_in_groups(3));
  result.back().column_indices.back() = result.back().columns - 1;  // and the last row in none
  // Complex numbers: rows in slices, with halo, and such as would be padded too much.
  for (const bool conjugates : {false, true}) {
    result.push_back(complex_rows_of_lengths(std::vector<Index>(301, 9), 400, conjugates));
    result.push_back(complex_rows_of_lengths(std::vector<Index>(5000, 5), 5000, conjugates));
    std::vector<Index> uneven(2000, 3);
    for (std::size_t i = 0; i < uneven.size(); i += 7) uneven[i] = 0;
    uneven[70] = 1000;
    result.push_back(complex_rows_of_lengths(uneven, 4000, conjugates));
  }
  return result;
}

/// Numbers to multiply with, and the products of both memories.
struct Products {
  Products(Team& team, const Csr<double>& rows, Index columns)
      : matrix(rows),
        x(team, rows.rows, columns, 1),
        y(team, rows.rows, columns, 2),
        halo(random_multivector(rows.columns - rows.rows, columns, 3)),
        host(host_band_products(rows, rows.rows)),
        device(device_band_products(rows, rows.rows)) {}

  double x_at(Index j, Index c) const {
    return j < matrix.rows ? x.host.row(j)[c] : halo(j - matrix.rows, c);
  }

  /// (|A| |x|)_ic
  double magnitude(Index i, Index c) const {
    double sum = 0;
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      sum += std::abs(matrix.values[k] * x_at(matrix.column_indices[k], c));
    }
    return sum;
  }
  double length(Index i) const {
    return static_cast<double>(matrix.row_offsets[i + 1] - matrix.row_offsets[i]);
  }

  const Csr<double>& matrix;
  VectorPair x, y;
  Dense<double> halo;
  std::unique_ptr<BandProducts> host, device;
  bool in_one_more_form = false;
};

}  // namespace spsolve::cuda
