#pragma once

#include <functional>
#include <memory>
#include <string>

#include "choice/solver_table.hpp"
#include "solve/inverse.hpp"

namespace spsolve::inline choice {

/// An inverse by iteration, or, where that does not do, by elimination, as `auto` takes it for what
/// looks elliptic, or as if it converged soon, or where no elimination fits into memory: the first
/// right-hand sides, or the row sums, are the trial. Where it does not converge, or the matrix
/// turns out not to be what the method wants, the matrix is eliminated, and a note says why; new
/// values are eliminated at once from then on. The iteration's memory is gone before the
/// elimination begins, which takes the scale factors that the iteration wanted. Where no
/// elimination fits, the iteration is made again, its x is what there is, and a note says so.
class KrylovFirst final : public Inverse {
 public:
  struct Candidate {
    Method method;
    std::unique_ptr<Inverse> inverse;
    std::string note;  ///< on how it came to fit, or why there is none
  };
  using Iterates = std::function<Candidate()>;
  /// A maker of the elimination of a matrix, `why` it is needed being said in words; without an
  /// inverse where none fits and the iteration is to stay.
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
  LinearOperator* substitution(Substitution step) override {
    return eliminated_ ? inverse_->substitution(step) : nullptr;
  }
  void project(Vectors& x) const override { inverse_->project(x); }
  std::vector<double> correction_residuals() const override {
    return inverse_->correction_residuals();
  }
  bool stagnated() const override { return inverse_->stagnated(); }
  const InverseFacts& facts() const override {
    return eliminated_ || stays_ || inverse_ == nullptr ? facts_ : inverse_->facts();
  }

 private:
  /// Makes the iteration where there is none.
  void begin();
  /// The solution of the trial, or null and why iteration does not do.
  std::unique_ptr<Vectors> try_iteration(const EliminationRun& run, std::string& failure);
  /// Makes the elimination in the place of the iteration, which is gone; says whether there is one.
  bool take_elimination(const std::string& failure);
  /// Goes on with the iteration, which is gone, as it was in the trial.
  void stay(InverseFacts of_trial, const std::string& failure);
  /// Eliminates, and completes the facts.
  std::unique_ptr<Vectors> eliminate_now(const EliminationRun& run);

  Iterates iteration_;
  Eliminates elimination_;
  BeforeDouble before_second_;
  bool negates_;
  SystemMatrix* matrix_ = nullptr;
  const Equilibration* scaling_ = nullptr;
  std::unique_ptr<Inverse> inverse_;
  Method method_ = Method::automatic;  // of it
  bool eliminated_ = false;            // inverse_ is the elimination's
  bool stays_ = false;                 // it is the iteration's, as no elimination fits
  InverseFacts facts_;                 // then
  std::vector<std::string> notes_;     // of what failed and what was done instead
};

/// An inverse by the Krylov method `method` that an elimination follows if it fails: for the first
/// steps of what auto_tries() is true of, and for as many as are asked for where it stands in the
/// place of eliminations that did not fit. Of those that follow the first is taken that fits: in
/// memory, with factors on disk, with factors in float.
std::unique_ptr<Inverse> make_krylov_first(Team& team, ComputeDevice& memory,
                                           const SolverQuestion& question, Method method,
                                           BeforeDouble before_second);

/// Whether `auto` iterates at first, and eliminates where that does not do.
bool auto_tries(const SolverQuestion& question);

/// The memory of the elimination by a GPU that follows a trial that fails; nothing where there is
/// none, and on hosts, which look then.
MemoryPlan plan_after_trial(const SolverQuestion& question, int rank);

}  // namespace spsolve::choice
