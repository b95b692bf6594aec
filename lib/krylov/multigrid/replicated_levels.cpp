#include "krylov/multigrid/replicated_levels.hpp"

#include "distribute/redistribute.hpp"
#include "matrix/made_of_rows.hpp"

namespace spsolve::inline krylov {

namespace {

/// Rows [own.first, own.last) of the identity of n unknowns.
Csr<double> rows_of_identity(Range own, Index n) {
  return made_of_rows(own.size(), n, [&] {
    return [&](Index i, RowChunk& chunk) {
      chunk.columns.push_back(static_cast<LocalIndex>(own.first + i));
      chunk.values.push_back(1);
    };
  });
}

NearNullSpace all_of(Team& team, const NearNullSpace& near, Index n) {
  NearNullSpace all{near.size, Dense<double>(n, near.vectors.columns)};
  all.vectors.values = all_gather_parts(team, std::span(near.vectors.values));
  return all;
}

}  // namespace

ReplicatedLevels::ReplicatedLevels(const BandMatrix& matrix, ComputeDevice& memory, bool symmetric,
                                   const Hierarchy::Options& options, const NearNullSpace& near) {
  Team& team = matrix.team();
  const Index n = matrix.row_layout().rows;
  Csr<double> rows = all_rows(team, matrix.global_rows());
  NearNullSpace all_near = all_of(team, near, n);
  together(team, [&] {
    const RowLayout alone{n, 1};
    matrix_ = std::make_unique<BandMatrix>(alone_, alone, alone, std::move(rows), matrix.memory());
    own_ = std::make_unique<BandMatrix>(alone_, RowLayout{matrix.own_rows().size(), 1}, alone,
                                        rows_of_identity(matrix.own_rows(), n), matrix.memory());
    for (BandMatrix* each : {matrix_.get(), own_.get()}) each->expect_many_products();
    hierarchy_ =
        std::make_unique<Hierarchy>(*matrix_, memory, symmetric, options, std::move(all_near));
  });
}

void ReplicatedLevels::renew(const BandMatrix& matrix, const NearNullSpace& near) {
  Team& team = matrix.team();
  const Csr<double> rows = all_rows(team, matrix.global_rows());
  NearNullSpace all_near = all_of(team, near, rows.rows);
  together(team, [&] {
    matrix_->set_values(rows.values);
    hierarchy_->renew(std::move(all_near));
  });
}

void ReplicatedLevels::apply(const Vectors& b, Vectors& x) {
  if (b_ == nullptr || b_->columns() != b.columns()) {
    together(b.team(), [&] {
      b_ = matrix_->vectors_of_rows(b.columns());
      x_ = matrix_->vectors_of_rows(b.columns());
    });
  }
  b.gather(*b_);
  hierarchy_->cycle(*b_, *x_);
  own_->apply(*x_, x);
}

}  // namespace spsolve::krylov
