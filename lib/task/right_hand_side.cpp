#include "task/right_hand_side.hpp"

#include "io/matrix_market.hpp"
#include "matrix/multivector.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve {

namespace {

Dense<double> row_sums(const Csr<double>& rows, Index columns) {
  Dense<double> b(rows.rows, columns);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows.rows; ++i) {
    double sum = 0;
    for (const double value : rows.row_values(i)) sum += value;
    for (Index c = 0; c < columns; ++c) b(i, c) = sum;
  }
  return b;
}

}  // namespace

std::unique_ptr<Vectors> right_hand_side(const Config::RightHandSide& config,
                                         SystemMatrix& matrix) {
  if (config.kind == RightHandSideKind::file) {
    return read_vectors(matrix.team(), matrix.layout(), matrix.memory(), config.file);
  }
  std::unique_ptr<Vectors> b = matrix.vectors(config.columns);
  together(matrix.team(), [&] {
    switch (config.kind) {
      case RightHandSideKind::row_sums:
        return set_own_rows(*b, row_sums(matrix.local_rows(), config.columns));
      case RightHandSideKind::random:
        return set_own_rows(
            *b, random_multivector(b->height(), config.columns, config.seed, b->own().first));
      default:
        return b->fill(1);
    }
  });
  return b;
}

Index columns_of_b(const Config::RightHandSide& config) {
  return config.kind == RightHandSideKind::file ? read_header(config.file).columns : config.columns;
}

bool solution_is_ones(const Config::RightHandSide& config) {
  return config.kind == RightHandSideKind::row_sums;
}

double distance_from_ones(const Vectors& x) {
  double sum = 0;
  for (const double value : own_rows(x).values) sum += (value - 1) * (value - 1);
  return all_sum(x.team(), sum);
}

}  // namespace spsolve
