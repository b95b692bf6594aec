#pragma once

#include <functional>
#include <memory>
#include <string>

#include "choice/solver_table.hpp"
#include "solve/inverse.hpp"

namespace spsolve::inline choice {

/// An inverse by iteration, or, where that does not do, by elimination, as `auto` takes it for what
/// looks elliptic, or as if it converged soon: the first right-hand sides, or the row sums, are the
/// trial. Where it does not converge, or the matrix turns out not to be what the method wants, the
/// matrix is eliminated, and a note says why. The iteration's memory is gone before the elimination
/// begins, which takes the scale factors that the iteration wanted.
class KrylovFirst final : public Inverse {
 public:
  struct Candidate {
    Method method;
    std::unique_ptr<Inverse> inverse;
  };
  using Iterates = std::function<Candidate()>;
  /// A maker of the elimination of a matrix, `why` it is needed being said in words.
  using Eliminates = std::function<Candidate(SystemMatrix& matrix, const std::string& why)>;

  /// `before_second` is called as BeforeDouble says, before the elimination. `negates`: the scale
  /// factors of the rows of a symmetric A are -1, so that what is negative becomes positive.
  KrylovFirst(Iterates iteration, Eliminates elimination, BeforeDouble before_second,
              bool negates = false);

  void find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                    Equilibration& scaling) override;
  void prepare(SystemMatrix& matrix, const Equilibration& scaling) override;
  std::unique_ptr<Vectors> eliminate(const EliminationRun& run) override;
  void apply(const Vectors& x, Vectors& y) override { inverse_->apply(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { inverse_->apply_transposed(x, y); }
  void expect(SolvePurpose purpose) override { inverse_->expect(purpose); }
  bool iterates() const override { return inverse_->iterates(); }
  LinearOperator* factors_alone() override {
    return eliminated_ ? inverse_->factors_alone() : nullptr;
  }
  void project(Vectors& x) const override { inverse_->project(x); }
  std::vector<double> correction_residuals() const override {
    return inverse_->correction_residuals();
  }
  bool stagnated() const override { return inverse_->stagnated(); }
  const InverseFacts& facts() const override {
    return eliminated_ || inverse_ == nullptr ? facts_ : inverse_->facts();
  }

 private:
  /// Makes the iteration where there is none.
  void begin();
  /// The solution of the trial, or null and why iteration does not do.
  std::unique_ptr<Vectors> try_iteration(const EliminationRun& run, std::string& failure);

  Iterates iteration_;
  Eliminates elimination_;
  BeforeDouble before_second_;
  bool negates_;
  SystemMatrix* matrix_ = nullptr;
  const Equilibration* scaling_ = nullptr;
  std::unique_ptr<Inverse> inverse_;
  Method method_ = Method::automatic;  // of it
  bool eliminated_ = false;            // inverse_ is the elimination's
  InverseFacts facts_;                 // then
};

}  // namespace spsolve::choice
