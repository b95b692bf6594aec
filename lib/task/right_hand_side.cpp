#include "task/right_hand_side.hpp"

#include "io/matrix_market.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {

namespace {

Dense<double> row_sums(const Csr<double>& matrix, Index columns) {
  Dense<double> b(matrix.rows, columns);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < matrix.rows; ++i) {
    double sum = 0;
    for (const double value : matrix.row_values(i)) sum += value;
    for (Index c = 0; c < columns; ++c) b(i, c) = sum;
  }
  return b;
}

Dense<double> from_file(const std::filesystem::path& file, const Csr<double>& matrix) {
  Dense<double> b = read_dense(file);
  if (b.rows != matrix.rows) {
    fail(ExitCode::input,
         "{}: the right-hand side has {} rows, but the matrix has {}; it needs one for each",
         file.string(), b.rows, matrix.rows);
  }
  return b;
}

}  // namespace

Dense<double> right_hand_side(const Config::RightHandSide& config, const Csr<double>& matrix) {
  switch (config.kind) {
    case RightHandSideKind::row_sums:
      return row_sums(matrix, config.columns);
    case RightHandSideKind::ones:
      return Dense<double>(matrix.rows, config.columns, 1.0);
    case RightHandSideKind::random:
      return random_multivector(matrix.rows, config.columns, config.seed);
    case RightHandSideKind::file:
      return from_file(config.file, matrix);
  }
  fail(ExitCode::internal, "a right-hand side of no known kind");
}

Index columns_of_b(const Config::RightHandSide& config) {
  return config.kind == RightHandSideKind::file ? read_header(config.file).columns : config.columns;
}

bool solution_is_ones(const Config::RightHandSide& config) {
  return config.kind == RightHandSideKind::row_sums;
}

void share_multivector(Team& team, Dense<double>& x) {
  x.rows = broadcast_value(team, x.rows, 0);
  x.columns = broadcast_value(team, x.columns, 0);
  together(team, [&] { x.values.resize(static_cast<std::size_t>(x.rows * x.columns)); });
  broadcast(team, std::span<double>(x.values), 0);
}

}  // namespace spsolve
