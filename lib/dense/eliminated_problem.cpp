#include "dense/eliminated_problem.hpp"

#include "core/checksum.hpp"

namespace spsolve {

EliminatedProblem problem_of(SystemMatrix& matrix, const Equilibration& scaling,
                             const EliminationChoice& choice) {
  // The sum over rows: it does not matter who holds which.
  std::uint64_t sum = 0;
  const Csr<double>& rows = matrix.local_rows();
  std::vector<Index> columns;
  for (Index i = 0; i < rows.rows; ++i) {
    const Index row = matrix.own().first + i;
    columns.clear();
    for (const LocalIndex j : rows.row_columns(i)) columns.push_back(matrix.global_column(j));
    Checksum of_row;
    of_row.add(std::as_bytes(std::span(&row, 1)));
    of_row.add(std::as_bytes(std::span(columns)));
    of_row.add(std::as_bytes(rows.row_values(i)));
    if (scaling.scales) {
      const double factors[] = {scaling.rows[i], scaling.columns[i]};
      of_row.add(std::as_bytes(std::span(factors)));
    }
    sum += of_row.value();
  }
  sum = all_sum(matrix.team(), sum);
  Checksum whole;
  whole.add(std::as_bytes(std::span(&sum, 1)));
  const bool by_rows = choice.pivoting == Pivoting::tournament;
  return {matrix.order(), choice.method, by_rows ? Pivoting::partial : choice.pivoting,
          choice.precision, whole.value()};
}

}  // namespace spsolve
