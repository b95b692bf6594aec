#include "core/error.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "krylov/preconditioner/triangles.hpp"
#include "sparse/sparse_inverse.hpp"

namespace spsolve::inline krylov {

namespace {

/// diag(A_11^-1, A_22^-1, ...) with factors in float, A_rr the own rows and columns of rank r, each
/// eliminated by that rank for itself.
class Elimination final : public PreconditionerOperator {
 public:
  explicit Elimination(const PreconditionerInput& input) {
    BandMatrix& matrix = input.matrix;
    const Index own = matrix.own_rows().size();
    together(matrix.team(), [&] {
      Csr<double> rows = own_block(matrix.local_rows());
      // A share that float tells from zero with digits to spare.
      constexpr double share = 1e-4;
      if (input.singular) shift_diagonal(alone_, rows, 0, share);
      block_.emplace(alone_, RowLayout{own, 1}, std::move(rows), matrix.memory());
      SparseChoice choice;
      choice.kind = input.symmetric ? Factorization::cholesky : Factorization::lu;
      choice.may_change = true;
      choice.refined = true;
      inverse_.emplace(alone_, input.memory.sparse(), choice, nullptr);
      inverse_->find_scaling(*block_, AutoSwitch::automatic, Precision::float32, scaling_);
      inverse_->prepare(*block_, scaling_);
      Progress silent("eliminating", 1, Progress::Show::off);
      inverse_->eliminate({silent});
      unscaled_.emplace(ScaledOperator::unscaled(*inverse_, *block_, scaling_));
    });
  }

  void apply(const Vectors& x, Vectors& y) override {
    make_room(x.columns());
    copy(x, *b_);
    unscaled_->apply(*b_, *x_);
    copy(*x_, y);
  }
  void apply_transposed(const Vectors& x, Vectors& y) override {
    make_room(x.columns());
    copy(x, *b_);
    unscaled_->apply_transposed(*b_, *x_);
    copy(*x_, y);
  }

 private:
  void make_room(Index columns) {
    if (b_ != nullptr && b_->columns() == columns) return;
    b_ = block_->vectors(columns);
    x_ = block_->vectors(columns);
  }

  SoloTeam alone_;
  std::optional<SystemMatrix> block_;
  Equilibration scaling_;
  std::optional<SparseInverse<float>> inverse_;
  std::optional<ScaledOperator> unscaled_;
  std::unique_ptr<Vectors> b_, x_;
};

}  // namespace

std::unique_ptr<PreconditionerOperator> make_elimination(const PreconditionerInput& input) {
  return std::make_unique<Elimination>(input);
}

}  // namespace spsolve::krylov
