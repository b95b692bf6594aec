#include "task/multivector.hpp"

#include <algorithm>

#include "distribute/reading/scatter.hpp"
#include "io/dense_source.hpp"
#include "matrix/multivector.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline task {

namespace {

/// Throws Error(input).
void require_shape_of_x(const Config::Multiply& config, const DenseShape& has, Index needed) {
  const std::string file = config.x.file.string();
  if (has.rows != needed) {
    fail(ExitCode::input, "{}: X has {} rows, but the matrix has {} columns", file, has.rows,
         needed);
  }
  if (has.columns < 1) fail(ExitCode::input, "{}: X has no column; it needs one at least", file);
}

/// The rows `own` of ones, of `parts` rows to a number: of 1 + 0i.
Dense<double> ones(Range own, Index columns, Index parts) {
  Dense<double> x(own.size(), columns);
  for (Index i = own.first; i < own.last; ++i) {
    if (i % parts == 0) std::fill_n(x.row(i - own.first), columns, 1.0);
  }
  return x;
}

}  // namespace

Index columns_of_x(const Config::Multiply& config, const std::optional<MatrixShape>& matrix) {
  if (config.x.kind != MultivectorKind::file) return config.columns;
  const DenseShape x = describe_dense(config.x.file);
  if (matrix) require_shape_of_x(config, x, matrix->columns / matrix->parts);
  if (!matrix || !matrix->is_complex()) require_real(config.x.file, x, "X");
  return x.columns;
}

Dense<double> whole_x(const Config::Multiply& config, Index rows, Index parts) {
  switch (config.x.kind) {
    case MultivectorKind::random:
      return random_multivector(rows, config.columns, config.seed);
    case MultivectorKind::ones:
      return ones({0, rows}, config.columns, parts);
    case MultivectorKind::file:
      break;
  }
  const bool in_parts = parts > 1 && describe_dense(config.x.file).is_complex;
  Dense<double> x = in_parts ? load_dense_parts(config.x.file) : load_dense(config.x.file);
  require_shape_of_x(config, {x.rows / (in_parts ? parts : 1), x.columns}, rows / parts);
  if (parts == 1 || in_parts) return x;
  Dense<double> padded(rows, x.columns);
  for (Index i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.columns, padded.row(parts * i));
  return padded;
}

Dense<double> band_of_x(const Config::Multiply& config, Team& team, const RowLayout& bands,
                        const Dense<double>& whole, Index parts) {
  if (config.x.kind == MultivectorKind::file) return scatter_rows(team, bands, whole);
  return together(team, [&] {
    const Range own = bands.band(team.rank());
    return config.x.kind == MultivectorKind::ones
               ? ones(own, config.columns, parts)
               : random_multivector(own.size(), config.columns, config.seed, own.first);
  });
}

}  // namespace spsolve::task
