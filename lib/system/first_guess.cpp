#include "system/first_guess.hpp"

#include "core/error.hpp"
#include "io/dense_source.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline system {

void check_first_guess(const std::filesystem::path& file, Index rows, Index columns) {
  if (file.empty()) return;
  const DenseShape guess = describe_dense(file);
  require_shape(file, guess, rows, "first guess");
  if (guess.columns == columns) return;
  fail(ExitCode::input, "{}: the first guess has {} columns, and there are {} right-hand sides",
       file.string(), guess.columns, columns);
}

std::unique_ptr<Vectors> read_first_guess(const SystemMatrix& matrix,
                                          const std::filesystem::path& file, Index columns) {
  Team& team = matrix.team();
  together(team, [&] {
    if (team.rank() == 0) check_first_guess(file, matrix.order(), columns);
  });
  return read_vectors(team, matrix.layout(), matrix.memory(), file);
}

}  // namespace spsolve::system
