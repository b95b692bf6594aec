#pragma once

#include <memory>
#include <optional>

#include "device/compute_device.hpp"
#include "krylov/boundary_rows.hpp"
#include "krylov/iteration/checkpointed_iteration.hpp"
#include "krylov/krylov_solve.hpp"
#include "krylov/null_space.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "matrix/real_form.hpp"
#include "solve/inverse.hpp"

namespace spsolve::inline krylov {

/// (R A C)^-1 by a Krylov method with a preconditioner, which prepare() sets up. For new values of
/// one pattern multigrid keeps its aggregates and patterns, until a solution takes half as many
/// steps again as the first one with them did; systems that do not converge with them are solved
/// once more with a preconditioner that is made anew. eliminate() solves for run.first to the
/// backward error that is asked for, and so does a solve that is expected to be for a solution;
/// corrections stop at residuals of 1e-6 of their right-hand sides, estimates at 1e-2. The solve of
/// eliminate() is kept by run.checkpoints and gone on from. Methods for symmetric matrices leave A
/// as it is. Refuses, with Error(not_trustworthy), a matrix that is not symmetric or not positive
/// definite as the method wants it, where that shows. Of a singular A whose null space is named it
/// makes the pseudo-inverse, as far as A is symmetric: solutions are orthogonal to the null space;
/// right-hand sides that are not, so that there is no solution, are refused likewise.
class KrylovInverse final : public Inverse {
 public:
  KrylovInverse(ComputeDevice& memory, const SolverOptions& options);
  ~KrylovInverse() override;

  void find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                    Equilibration& scaling) override;
  void prepare(SystemMatrix& matrix, const Equilibration& scaling) override;
  std::unique_ptr<Vectors> eliminate(const EliminationRun& run) override;
  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;
  void expect(SolvePurpose purpose) override {
    purpose_ = purpose;
    stagnated_ = false;
  }
  bool iterates() const override { return true; }
  LinearOperator* preconditioner() override { return &preconditioning_; }
  void project(Vectors& x) const override {
    if (null_space_) null_space_->project(x);
  }
  std::vector<double> correction_residuals() const override { return correction_residuals_; }
  bool stagnated() const override { return stagnated_; }
  const InverseFacts& facts() const override { return facts_; }

 private:
  class Products;

  /// M^-1 for A itself, where the iteration is with what is left of it without boundary conditions.
  class Preconditioning final : public LinearOperator {
   public:
    explicit Preconditioning(KrylovInverse& of) : of_(of) {}
    void apply(const Vectors& x, Vectors& y) override { of_.precondition(false, x, y); }
    void apply_transposed(const Vectors& x, Vectors& y) override { of_.precondition(true, x, y); }

   private:
    KrylovInverse& of_;
  };

  /// The start of a solve: A or A^T, and from 0 or from x.
  struct Start {
    bool transposed = false;
    bool from_x = false;
  };

  /// Makes the preconditioner, or gives it new values where it may keep its pattern.
  void make_preconditioner(bool may_renew);
  StoppingCriterion::Goal first_goal() const;
  /// Refuses a matrix that is not its own transpose, for a method that wants that.
  void refuse_unsymmetric(BandMatrix& system);
  /// Refuses right-hand sides that A x never is.
  void refuse_inconsistent(const Vectors& b) const;
  /// Solves to the backward error that is asked for, and tells of it in facts_. `progress` and
  /// `checkpointed` may be null.
  void solve_as_asked(Start start, const Vectors& b, Vectors& x, Progress* progress,
                      CheckpointedIteration* checkpointed = nullptr);
  /// The choices that M depends on, in words.
  std::string settings() const;
  void apply(bool transposed, const Vectors& x, Vectors& y);
  /// solve() until the goal is reached for A itself, and not only as it is equilibrated.
  KrylovSolve solve_for_a(Start start, StoppingCriterion::Goal goal, const Vectors& b, Vectors& x);
  /// The backward errors of x by columns for A, or A^T, of a system that may be equilibrated.
  std::vector<double> errors_for_a(bool transposed, const Vectors& b, const Vectors& x) const;
  /// Whether the limit of time has come, reckoned from now.
  std::function<bool()> out_of_time(Team& team) const;
  KrylovSolve solve(Start start, StoppingCriterion::Goal goal, const Vectors& b, Vectors& x);
  /// y <- M^-1 x, or M^-T x, of the matrix that is iterated with.
  void apply_preconditioner(bool transposed, const Vectors& x, Vectors& y);
  /// x <- M^-1 b, or M^-T b, of A.
  void precondition(bool transposed, const Vectors& b, Vectors& x);
  /// solve() for a right-hand side that is consistent, as many columns at a time as the method
  /// takes.
  KrylovSolve solve_for(Start start, const StoppingCriterion::Goal& goal, const Vectors& b,
                        Vectors& x);

  ComputeDevice& memory_;
  SolverOptions options_;
  const KrylovMethod& method_;
  SystemMatrix* matrix_ = nullptr;
  std::unique_ptr<BandMatrix> scaled_;  // R A C where it is not A
  // Where A is symmetric but for boundary conditions in its rows, a symmetric method iterates on
  // what is left of it without them.
  std::unique_ptr<BoundaryRows> boundary_;
  std::unique_ptr<Products> products_;  // with one of the three
  std::unique_ptr<PreconditionerOperator> preconditioner_;
  Preconditioning preconditioning_{*this};
  std::optional<NullSpace> null_space_;
  bool symmetric_ = false;  // the matrix that is iterated with, as it seems
  // Which real form of a complex matrix that is, and whether the method computes with its numbers:
  // where rows of imaginary parts have the opposite sign, with what they are without.
  RealFormKind form_ = RealFormKind::none;
  bool complex_ = false;
  std::unique_ptr<Vectors> signs_;  // those of rows, where a method computes without them
  // Steps of the first solution with a preconditioner that was made anew; and whether it was given
  // new values since.
  std::optional<Index> steps_when_new_;
  bool renewed_ = false;
  bool stale_ = false;  // whether a solution took so many steps that the next values get a new one
  Preconditioner kind_ = Preconditioner::none;
  Equilibration const* scaling_ = nullptr;
  double norm_ = 0;       // of the matrix that is iterated with
  double norm_of_a_ = 0;  // where that is another one
  SolvePurpose purpose_ = SolvePurpose::correction;
  std::vector<double> correction_residuals_;
  bool stagnated_ = false;
  std::shared_ptr<StepWatch> watch_;  // of steps, since it last eliminated
  InverseFacts facts_;
};

}  // namespace spsolve::krylov
