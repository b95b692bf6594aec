#include "dense/eliminated_problem.hpp"

#include "core/checksum.hpp"

namespace spsolve::inline dense {

namespace {

/// A checksum of the sum over rows of every rank's `sum`: it does not matter who holds which.
std::uint64_t over_ranks(Team& team, std::uint64_t sum) {
  sum = all_sum(team, sum);
  return checksum(std::as_bytes(std::span(&sum, 1)));
}

std::uint64_t sum_of(const Vectors& b) {
  std::uint64_t sum = 0;
  const Dense<double> rows = own_rows(b);
  for (Index i = 0; i < rows.rows; ++i) {
    const Index row = b.own().first + i;
    Checksum of_row;
    of_row.add(std::as_bytes(std::span(&row, 1)));
    of_row.add(std::as_bytes(std::span(rows.row(i), static_cast<std::size_t>(rows.columns))));
    sum += of_row.value();
  }
  return over_ranks(b.team(), sum);
}

}  // namespace

EliminatedProblem problem_of(SystemMatrix& matrix, const Equilibration& scaling,
                             const EliminationChoice& choice, const Vectors* b) {
  std::uint64_t sum = 0;
  const Csr<double>& rows = matrix.local_rows();
  const std::vector<double>&r = scaling.rows.on_host(), &c = scaling.columns.on_host();
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
      const double factors[] = {r[i], c[i]};
      of_row.add(std::as_bytes(std::span(factors)));
    }
    sum += of_row.value();
  }
  const bool by_rows = choice.pivoting == Pivoting::tournament;
  return {matrix.order() / rows_of_dense_row(choice),
          choice.method,
          by_rows ? Pivoting::partial : choice.pivoting,
          choice.precision,
          over_ranks(matrix.team(), sum),
          b != nullptr ? sum_of(*b) : 0,
          choice.complex};
}

}  // namespace spsolve::dense
