#include "task/multivector.hpp"

#include "distribute/reading/scatter.hpp"
#include "io/dense_source.hpp"
#include "matrix/multivector.hpp"

namespace spsolve {

Index columns_of_x(const Config::Multiply& config) {
  return config.x.kind == MultivectorKind::file ? describe_dense(config.x.file).columns
                                                : config.columns;
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
  if (x.rows != rows) {
    fail(ExitCode::input, "{}: X has {} rows, but the matrix has {} columns",
         config.x.file.string(), x.rows, rows);
  }
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

}  // namespace spsolve
