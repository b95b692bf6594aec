#include "core/error.hpp"
#include "krylov/conjugated_operator.hpp"
#include "krylov/multigrid/hierarchy.hpp"

namespace spsolve::inline krylov {

namespace {

class Multigrid final : public PreconditionerOperator {
 public:
  /// `pairs`, `damping`: see Hierarchy::Options.
  Multigrid(const PreconditionerInput& input, bool pairs, double damping)
      : hierarchy_(input.matrix, input.memory, input.symmetric,
                   {.singular = input.singular, .pairs = pairs, .damping = damping},
                   input.near_null_space) {
    levels = hierarchy_.levels();
    if (pairs && !input.symmetric && real_form_of(input.matrix) == RealFormKind::plain) {
      signs_ = signs_of_rows(input.matrix);
    }
  }

  bool renew(NearNullSpace near) override {
    hierarchy_.renew(std::move(near));
    return true;
  }

  void apply(const Vectors& x, Vectors& y) override { hierarchy_.cycle(x, y); }

  /// The cycle for A stands for that for A^T: near it where A is nearly symmetric, as multigrid
  /// wants it anyhow. The transpose of a real form is that of A^H, which takes conjugates for A =
  /// A^T; of a conjugated one it is that of A again.
  void apply_transposed(const Vectors& x, Vectors& y) override {
    if (signs_ == nullptr) return hierarchy_.cycle(x, y);
    const std::unique_ptr<Vectors> conjugate = copy_of(x);
    conjugate->scale_rows(*signs_);
    hierarchy_.cycle(*conjugate, y);
    y.scale_rows(*signs_);
  }

 private:
  Hierarchy hierarchy_;
  std::unique_ptr<Vectors> signs_;  // of conjugation, if that is to be
};

}  // namespace

std::unique_ptr<PreconditionerOperator> make_multigrid(const PreconditionerInput& input) {
  return std::make_unique<Multigrid>(input, input.pairs, 0.0);
}

std::unique_ptr<PreconditionerOperator> make_shifted_laplacian(const PreconditionerInput& input) {
  // As much damping as lets aggregation converge: with half of it, as geometric multigrid wants,
  // steps are 1.3 to 1.7 times as many.
  constexpr double damping = 1;
  if (!input.pairs || input.symmetric) {
    fail_everywhere(ExitCode::input,
                    "solve.preconditioner=shifted_laplacian wants a complex matrix that is not "
                    "Hermitian, of a damped Helmholtz equation; use solve.preconditioner=multigrid "
                    "or ilu0");
  }
  return std::make_unique<Multigrid>(input, true, damping);
}

}  // namespace spsolve::krylov
