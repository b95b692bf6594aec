#include <cmath>

#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "krylov/preconditioner/preconditioner.hpp"

namespace spsolve::inline krylov {

namespace {

/// D^-1 for the diagonal D of A; |D|^-1 for a symmetric A, as methods for those want M positive
/// definite.
class Jacobi final : public PreconditionerOperator {
 public:
  explicit Jacobi(const PreconditionerInput& input) : inverse_(input.matrix.vectors_of_rows(1)) {
    const BandMatrix& matrix = input.matrix;
    const bool symmetric = input.symmetric;
    together(matrix.team(), [&] {
      std::vector<double> diagonal = own_diagonal(matrix);
      for (std::size_t i = 0; i < diagonal.size(); ++i) {
        if (diagonal[i] == 0) {
          refuse_zero_on_diagonal(matrix.own_rows().first + static_cast<Index>(i));
        }
        diagonal[i] = 1 / (symmetric ? std::abs(diagonal[i]) : diagonal[i]);
      }
      inverse_->write_rows({0, inverse_->height()}, diagonal);
    });
  }

  void apply(const Vectors& x, Vectors& y) override { y.add_scaled_rows(0, 1, *inverse_, x); }
  void apply_transposed(const Vectors& x, Vectors& y) override { apply(x, y); }

 private:
  std::unique_ptr<Vectors> inverse_;
};

}  // namespace

void refuse_zero_on_diagonal(Index row) {
  fail(ExitCode::input,
       "solve.preconditioner=jacobi wants a diagonal without zeros, and row {} (numbered from 1) "
       "has one; use solve.preconditioner=ilu0 or none, or a sparse method",
       RowNames::told(row));
}

std::unique_ptr<PreconditionerOperator> make_jacobi(const PreconditionerInput& input) {
  // Of a Hermitian matrix the diagonal is real.
  if (input.pairs && !input.symmetric) return make_complex_jacobi(input);
  return std::make_unique<Jacobi>(input);
}

}  // namespace spsolve::krylov
