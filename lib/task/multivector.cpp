#include "task/multivector.hpp"

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

}  // namespace

Index columns_of_x(const Config::Multiply& config, std::optional<Index> rows) {
  if (config.x.kind != MultivectorKind::file) return config.columns;
  const DenseShape x = describe_dense(config.x.file);
  if (rows) require_shape_of_x(config, x, *rows);
  require_real(config.x.file, x, "X");
  return x.columns;
}

Dense<double> whole_x(const Config::Multiply& config, Index rows) {
  switch (config.x.kind) {
    case MultivectorKind::random:
      return random_multivector(rows, config.columns, config.seed);
    case MultivectorKind::ones:
      return Dense<double>(rows, config.columns, 1.0);
    case MultivectorKind::file:
      break;
  }
  Dense<double> x = load_dense(config.x.file);
  require_shape_of_x(config, {x.rows, x.columns}, rows);
  return x;
}

Dense<double> band_of_x(const Config::Multiply& config, Team& team, const RowLayout& bands,
                        const Dense<double>& whole) {
  if (config.x.kind == MultivectorKind::file) return scatter_rows(team, bands, whole);
  return together(team, [&] {
    const Range own = bands.band(team.rank());
    return config.x.kind == MultivectorKind::ones
               ? Dense<double>(own.size(), config.columns, 1.0)
               : random_multivector(own.size(), config.columns, config.seed, own.first);
  });
}

}  // namespace spsolve::task
