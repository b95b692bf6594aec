#include "core/error.hpp"
#include "krylov/krylov_inverse.hpp"
#include "krylov/symmetry.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// Residuals that solves which are not for a solution stop at, as a part of their right-hand sides.
constexpr double correction_tolerance = 1e-6, estimate_tolerance = 1e-2;

}  // namespace

void KrylovInverse::refuse_unsymmetric(BandMatrix& system) {
  // Rows of imaginary parts got their signs because A = A^T.
  const bool fits = signs_ != nullptr || (complex_ ? seems_complex_symmetric(system) : symmetric_);
  if (fits) return;
  fail_everywhere(ExitCode::input,
                  "solve.method={} wants a symmetric matrix, A = A^T{}, and this one is not; use "
                  "solve.method=gmres, bicgstab or idr, or sparse_lu",
                  name(options_.method), complex_ ? " without conjugation" : "");
}

void KrylovInverse::apply(bool transposed, const Vectors& x, Vectors& y) {
  if (purpose_ == SolvePurpose::solution) {
    Progress silent("iterating", 0, Progress::Show::off);
    silent.watch_by(watch_);
    return solve_as_asked({transposed}, x, y, &silent);
  }
  const double tolerance =
      purpose_ == SolvePurpose::estimate ? estimate_tolerance : correction_tolerance;
  const StoppingCriterion::Goal goal{0, tolerance, first_goal().most_steps};
  KrylovSolve solved = solve({transposed}, goal, x, y);
  const auto has_no_progress = [&] { return !(solved.error <= 0.5); };
  // An iteration that broke down may not do so from another start; for a singular A no A y may be
  // near x.
  if (has_no_progress() && !null_space_) {
    apply_preconditioner(transposed, x, y);
    solved = solve({transposed, true}, goal, x, y);
  }
  const bool earlier = purpose_ == SolvePurpose::estimate && stagnated_;
  stagnated_ = earlier || has_no_progress();
  correction_residuals_ = maxima(x);
  const double part = solved.error < 1 ? solved.error : 1.0;
  for (double& left : correction_residuals_) left *= part;
}

void KrylovInverse::apply(const Vectors& x, Vectors& y) {
  apply(false, x, y);
}

void KrylovInverse::apply_transposed(const Vectors& x, Vectors& y) {
  apply(true, x, y);
}

void KrylovInverse::apply_preconditioner(bool transposed, const Vectors& x, Vectors& y) {
  if (transposed && method_.wants != WantedSymmetry::hermitian)
    return preconditioner_->apply_transposed(x, y);
  preconditioner_->apply(x, y);
}

void KrylovInverse::precondition(bool transposed, const Vectors& b, Vectors& x) {
  if (preconditioner_ == nullptr) make_preconditioner(false);  // making the last one failed
  std::unique_ptr<Vectors> right;
  if (null_space_ || boundary_ != nullptr) right = copy_of(b);
  if (null_space_ && (symmetric_ || transposed)) null_space_->project(*right);
  if (boundary_ != nullptr && !transposed) boundary_->move_to_right(*right);
  apply_preconditioner(transposed, right != nullptr ? *right : b, x);
  if (boundary_ != nullptr) {
    boundary_->fix(*right, x);
    if (transposed) boundary_->take_back(x);
  }
  if (null_space_ && (symmetric_ || !transposed)) null_space_->project(x);
}

}  // namespace spsolve::krylov
