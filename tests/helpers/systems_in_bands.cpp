#include "helpers/systems_in_bands.hpp"

#include <algorithm>

#include "dense/dense_inverse.hpp"
#include "distribute/reading/scatter.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::test {

namespace {

/// x <- its own rows of `whole`.
std::unique_ptr<Vectors> take_own_rows(std::unique_ptr<Vectors> x, const Dense<double>& whole) {
  const Range own = x->own();
  x->write_rows({0, own.size()}, {whole.row(own.first), whole.row(own.last)});
  return x;
}

/// y <- what `function` makes of own rows of x.
void call(const OperatorOf::Function& function, const Vectors& x, Vectors& y) {
  Dense<double> rows = own_rows(x);
  function(rows);
  set_own_rows(y, rows);
}

}  // namespace

SystemMatrix matrix_in_bands(Team& team, const RowLayout& layout, const Csr<double>& whole,
                             const VectorMemory& memory) {
  return {team, layout, scatter_rows(team, layout, team.rank() == 0 ? whole : Csr<double>{}),
          memory};
}

SystemMatrix matrix_in_bands(Team& team, const Csr<double>& whole, const VectorMemory& memory) {
  return matrix_in_bands(team, {whole.rows, team.size()}, whole, memory);
}

std::unique_ptr<Vectors> vectors_of(const SystemMatrix& matrix, const Dense<double>& whole) {
  return take_own_rows(matrix.vectors(whole.columns), whole);
}

std::unique_ptr<Vectors> vectors_of(Team& team, const Dense<double>& whole) {
  return take_own_rows(
      std::make_unique<HostVectors>(team, RowLayout{whole.rows, team.size()}, whole.columns),
      whole);
}

Dense<double> whole(const Vectors& x) {
  const Dense<double> own = own_rows(x);
  Dense<double> all(x.rows(), x.columns());
  all.values = all_gather_parts(x.team(), std::span(own.values));
  return all;
}

void OperatorOf::apply(const Vectors& x, Vectors& y) {
  call(b_, x, y);
}

void OperatorOf::apply_transposed(const Vectors& x, Vectors& y) {
  call(transposed_, x, y);
}

EliminatedSystem::EliminatedSystem(Team& team, ComputeDevice& memory, const Csr<double>& whole,
                                   const EliminationChoice& choice, AutoSwitch equilibrate)
    : matrix_(matrix_in_bands(team,
                              bands_of_nodes(whole.rows, team.size(), rows_of_dense_row(choice)),
                              whole, memory.vectors())),
      scaling_(equilibration_of(matrix_, equilibrate, choice.precision)),
      inverse_(make_dense_inverse(team, memory, choice)),
      unscaled_(ScaledOperator::unscaled(*inverse_, matrix_, scaling_)) {
  inverse_->prepare(matrix_, scaling_);
}

std::optional<Dense<double>> EliminatedSystem::eliminate(const Dense<double>& b,
                                                         Checkpoints* checkpoints) {
  Progress silent("test", 0, Progress::Show::off);
  EliminationRun run{silent, checkpoints};
  std::unique_ptr<Vectors> first;
  if (b.columns > 0) {
    first = vectors_of(matrix_, b);
    if (scaling_.scales) scale_own_rows(matrix_, scaling_.rows, *first);
    run.first = first.get();
  }
  const std::unique_ptr<Vectors> x = inverse_->eliminate(run);
  if (x == nullptr) return std::nullopt;
  if (scaling_.scales) scale_own_rows(matrix_, scaling_.columns, *x);
  return whole(*x);
}

Dense<double> EliminatedSystem::solve(const Dense<double>& b) {
  const std::unique_ptr<Vectors> x = matrix_.vectors(b.columns);
  unscaled_.apply(*vectors_of(matrix_, b), *x);
  return whole(*x);
}

Dense<double> EliminatedSystem::solve_transposed(const Dense<double>& b) {
  const std::unique_ptr<Vectors> x = matrix_.vectors(b.columns);
  unscaled_.apply_transposed(*vectors_of(matrix_, b), *x);
  return whole(*x);
}

}  // namespace spsolve::test
