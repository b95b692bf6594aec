#include "dense/iterated_inverse.hpp"

#include "core/error.hpp"

namespace spsolve::inline dense {

void IteratedInverse::make_first() {
  if (factors_ != nullptr && !other_) return;
  facts_ = {};
  factors_ = first_();
  other_ = false;
}

void IteratedInverse::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                                   Equilibration& scaling) {
  make_first();
  factors_->find_scaling(matrix, wanted, precision, scaling);
}

void IteratedInverse::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  matrix_ = &matrix;
  scaling_ = &scaling;
  make_first();
  factors_->prepare(matrix, scaling);
  gmres_.emplace(matrix, scaling, *factors_);
}

std::string IteratedInverse::eliminate_first(const EliminationRun& run) {
  try {
    // Its solutions are of no use: iterations make better ones.
    factors_->eliminate({run.progress, run.checkpoints, nullptr});
  } catch (const Error& error) {
    if (error.code() != ExitCode::not_trustworthy || error.scope() != Scope::every_rank) throw;
    return error.what();
  }
  return {};
}

void IteratedInverse::take_other(const Make& other, const std::function<void()>& before) {
  gmres_.reset();
  factors_ = nullptr;
  if (before) before();
  factors_ = other();
  other_ = true;
  factors_->prepare(*matrix_, *scaling_);
}

void IteratedInverse::apply(const Vectors& x, Vectors& y) {
  gmres_ ? gmres_->apply(x, y) : factors_->apply(x, y);
}

void IteratedInverse::apply_transposed(const Vectors& x, Vectors& y) {
  gmres_ ? gmres_->apply_transposed(x, y) : factors_->apply_transposed(x, y);
}

}  // namespace spsolve::dense
