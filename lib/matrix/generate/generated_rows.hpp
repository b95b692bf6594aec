#pragma once

// The parts that the generators of generate.cpp's table are made of.

#include <algorithm>

#include "matrix/generate/generate.hpp"

namespace spsolve::inline matrix::generated {

/// Throws Error(resources) where rows of so many non-zeros each do not fit this machine's memory.
void check_memory(Index rows, Index columns, double average);

/// Where the non-zeros of one row go: either put() one after another, ascending, or written
/// directly.
struct Row {
  LocalIndex* columns;
  double* values;
  Index length;
  Index written = 0;

  void put(Index column, double value) {
    columns[written] = static_cast<LocalIndex>(column);
    values[written++] = value;
  }
};

/// Builds the rows of a matrix that are asked for, row by row: length(i) says how many non-zeros
/// row i has, fill(i, row) writes them. Both run in parallel. `average` is the expected length of a
/// row: what does not fit the memory is refused before anything is allocated.
template <typename Length, typename Fill>
Csr<double> build(const GeneratorArguments& wanted, Index rows, Index columns, double average,
                  const Length& length, const Fill& fill) {
  const Index first = std::min(wanted.first_row, rows), last = std::min(wanted.last_row, rows);
  const Index count = last - first;
  check_memory(count, columns, average);
  Csr<double> matrix;
  matrix.rows = count;
  matrix.columns = columns;
  matrix.row_offsets.assign(count + 1, 0);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < count; ++i) matrix.row_offsets[i + 1] = length(first + i);
  for (Index i = 0; i < count; ++i) matrix.row_offsets[i + 1] += matrix.row_offsets[i];
  const Index nonzeros = matrix.nonzeros();
  matrix.column_indices.resize(nonzeros);
  matrix.values.resize(nonzeros);
#pragma omp parallel for schedule(dynamic, 64)
  for (Index i = 0; i < count; ++i) {
    const Index place = matrix.row_offsets[i];
    fill(first + i, Row{matrix.column_indices.data() + place, matrix.values.data() + place,
                        matrix.row_offsets[i + 1] - place});
  }
  return matrix;
}

/// Every element (i, j) of a rows x columns matrix is value(i, j), stored.
template <typename Value>
Csr<double> build_full(const GeneratorArguments& wanted, Index rows, Index columns,
                       const Value& value) {
  return build(
      wanted, rows, columns, static_cast<double>(columns), [&](Index) { return columns; },
      [&](Index i, Row row) {
        for (Index j = 0; j < columns; ++j) row.put(j, value(i, j));
      });
}

// The generators; generate.cpp's table says what each one makes.

Csr<double> grid2d(const GeneratorArguments& arguments);
Csr<double> grid3d(const GeneratorArguments& arguments);
Csr<double> convdiff3d(const GeneratorArguments& arguments);
Csr<double> aniso2d(const GeneratorArguments& arguments);
Csr<double> aniso3d(const GeneratorArguments& arguments);
Csr<double> helmholtz2d(const GeneratorArguments& arguments);
Csr<double> zhelm2d(const GeneratorArguments& arguments);
Csr<double> zhelm3d(const GeneratorArguments& arguments);
Csr<double> zconvdiff2d(const GeneratorArguments& arguments);
Csr<double> zcircuit2d(const GeneratorArguments& arguments);
Csr<double> magnetic2d(const GeneratorArguments& arguments);
Csr<double> magnetic3d(const GeneratorArguments& arguments);
Csr<double> elastic3d(const GeneratorArguments& arguments);
Dense<double> coordinates_of_elastic3d(const GeneratorArguments& arguments);
Csr<double> circuit(const GeneratorArguments& arguments);
Csr<double> network(const GeneratorArguments& arguments);
Csr<double> kkt(const GeneratorArguments& arguments);
Csr<double> ipm_tree(const GeneratorArguments& arguments);
Csr<double> ipm_flow(const GeneratorArguments& arguments);
Csr<double> ipm_pde2d(const GeneratorArguments& arguments);
Csr<double> ipm_pde3d(const GeneratorArguments& arguments);
Csr<double> ipm_control(const GeneratorArguments& arguments);
Csr<double> ipm_band(const GeneratorArguments& arguments);
Csr<double> cage(const GeneratorArguments& arguments);
Csr<double> grid3d27(const GeneratorArguments& arguments);
Csr<double> tridiagonal(const GeneratorArguments& arguments);
Csr<double> hilbert(const GeneratorArguments& arguments);
Csr<double> gfpp(const GeneratorArguments& arguments);
Csr<double> random_dense(const GeneratorArguments& arguments);
Csr<double> random_sparse(const GeneratorArguments& arguments);
Csr<double> power_law(const GeneratorArguments& arguments);

}  // namespace spsolve::matrix::generated
