#include "eliminate/problem.hpp"

#include "core/checksum.hpp"

namespace spsolve {

EliminatedProblem problem_of(Team& team, const RowBands& bands, const Csr<double>& band,
                             const Equilibration& scaling, const EliminationChoice& choice) {
  // The sum over rows: it does not matter who holds which.
  std::uint64_t sum = 0;
  const Index first = bands.band(team.rank()).first;
  for (Index i = 0; i < band.rows; ++i) {
    const Index row = first + i;
    Checksum of_row;
    of_row.add(std::as_bytes(std::span(&row, 1)));
    of_row.add(std::as_bytes(band.row_columns(i)));
    of_row.add(std::as_bytes(band.row_values(i)));
    sum += of_row.value();
  }
  Checksum whole;
  sum = all_sum(team, sum);
  whole.add(std::as_bytes(std::span(&sum, 1)));
  whole.add(std::as_bytes(std::span(scaling.rows)));
  whole.add(std::as_bytes(std::span(scaling.columns)));
  const bool by_rows = choice.pivoting == Pivoting::tournament;
  return {bands.rows, choice.method, by_rows ? Pivoting::partial : choice.pivoting,
          choice.precision, whole.value()};
}

}  // namespace spsolve
