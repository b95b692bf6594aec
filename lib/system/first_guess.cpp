#include "system/first_guess.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "distribute/reading/scatter.hpp"
#include "io/dense_source.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline system {

void check_first_guess(const std::filesystem::path& file, Index rows, Index columns) {
  if (file.empty()) return;
  const DenseShape guess = describe_columns(file, rows);
  require_shape(file, guess, rows, "first guess");
  if (guess.columns == columns) return;
  fail(ExitCode::input, "{}: the first guess has {} columns, and there are {} right-hand sides",
       file.string(), guess.columns, columns);
}

std::unique_ptr<Vectors> deal_out_first_guess(const SystemMatrix& matrix,
                                              const Dense<double>& guess, Index columns) {
  Team& team = matrix.team();
  together(team, [&] {
    if (team.rank() != 0) return;
    if (guess.rows != matrix.order() || guess.columns != columns) {
      fail(ExitCode::input, "the first guess is {} x {}, and the solution {} x {}", guess.rows,
           guess.columns, matrix.order(), columns);
    }
    if (!std::ranges::all_of(guess.values, [](double x) { return std::isfinite(x); })) {
      fail(ExitCode::input, "the first guess has a number that is not finite");
    }
  });
  std::unique_ptr<Vectors> own = matrix.vectors(columns);
  set_own_rows(*own, scatter_rows(team, matrix.layout(), guess));
  return own;
}

std::unique_ptr<Vectors> read_first_guess(const SystemMatrix& matrix,
                                          const std::filesystem::path& file, Index columns,
                                          Index parts) {
  Team& team = matrix.team();
  together(team, [&] {
    if (team.rank() == 0) check_first_guess(file, matrix.order() / parts, columns);
  });
  return read_vectors(team, matrix.layout(), matrix.memory(), file, {.parts = parts});
}

}  // namespace spsolve::system
