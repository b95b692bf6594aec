#pragma once

#include <memory>
#include <optional>
#include <string>

#include "choice/solver_table.hpp"
#include "process/phase_times.hpp"
#include "solve/inverse.hpp"
#include "solve/operators/equilibrate.hpp"
#include "solve/trust/condition.hpp"
#include "solve/trust/refine.hpp"
#include "solve/trust/trust.hpp"
#include "solve/trust/trust_table.hpp"

namespace spsolve::inline system {

/// The figures of a solution, and how far it can be trusted.
struct SolveOutcome {
  Refinement refinement;
  std::optional<Condition> condition;  ///< where it was asked for and the factors are fit for it
  Trust trust;
};

/// Solves systems with one matrix A: owns A, its scale factors and its inverse. The application and
/// the library's interface are its users. set_up() once, solve() as often as wanted; new values of
/// the same pattern by set_values() and set_up() again. Where a set-up failed, whatever it threw,
/// all functions that solve refuse by Error(input), with its reason, until another one has
/// succeeded. Collective, all of it.
class SystemSolver final : public LinearOperator {
 public:
  /// `row` is of the solver table.
  SystemSolver(std::unique_ptr<SystemMatrix> matrix, const SolverRow& row,
               const SolverQuestion& question, ComputeDevice& memory,
               BeforeDouble before_double = {});

  SystemMatrix& matrix() { return *matrix_; }
  const Equilibration& scaling() const { return scaling_; }
  const InverseFacts& facts() const { return inverse_->facts(); }
  double flops() const;  ///< of the elimination as it was chosen
  /// The choice that did it, once it is eliminated; before, the choice that was made.
  EliminationChoice choice() const;

  /// New values for the pattern of A, see SystemMatrix::set_values(); asks for set_up(). Throws
  /// Error(input) on every rank, and leaves all as it was, where their number differs or one of
  /// them is not finite.
  void set_values(std::span<const double> values);

  /// Finds scale factors and takes the values in.
  void prepare();

  /// Eliminates the prepared matrix. `b`: the right-hand sides that solve() will be called with
  /// next, where they are known; mixed precision then solves for them once, not twice. `guess`: a
  /// first guess of their solutions, which Krylov methods begin with.
  void eliminate(Progress& progress, Checkpoints* checkpoints = nullptr, const Vectors* b = nullptr,
                 const Vectors* guess = nullptr);

  /// Calls prepare() and eliminate().
  void set_up();

  /// y <- A^-1 x and A^-T x as the factors have it, without refinement.
  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;

  /// x <- M^-1 b, or M^-T b, by one application of the preconditioner of an iteration, which is
  /// prepared. Throws Error(input) of a method that has none.
  void precondition(bool transposed, const Vectors& b, Vectors& x);

  /// x <- one part of A^-1 b, or A^-T b, as the factors have it: forward, diagonal and backward in
  /// turn make the whole. Throws Error(input) of factors that have no such parts.
  void substitute(Substitution step, bool transposed, const Vectors& b, Vectors& x);

  /// Solves A x = b: x from the factors, refined against the sparse A, and how far it can be
  /// trusted. `times` gets the phases gather, check and condition. Right-hand sides far from 1 are
  /// brought near it meanwhile, by powers of two (see right_hand_side_scales()), unless x then
  /// overflows.
  SolveOutcome solve(const Vectors& b, Vectors& x, PhaseTimes& times);

  /// The inertia of A in rows of the real form, where L L^T or L D L^T tells it, and where A was
  /// found to be singular; nothing of other methods. By factors as they are: by a solution for
  /// known right-hand sides, or, `cheaply`, as the last probe has it, which is never certain.
  /// Collective.
  std::optional<Inertia> inertia(bool cheaply = false);

  /// The same, and sees to it that it is known, if there is a way: factors with perturbed pivots
  /// are made anew, which may find that A is singular.
  std::optional<Inertia> ensured_inertia();

  /// Solves A^T x = b, as solve(). Keeps the rows of A^T from the first call on, until
  /// set_values().
  SolveOutcome solve_transposed(const Vectors& b, Vectors& x, PhaseTimes& times);

 private:
  /// The findings of estimates about A or A^T, and its factors, since they were set up: they serve
  /// all right-hand sides.
  struct Estimates {
    std::optional<Probe> probe;
    std::optional<double> normwise;
    std::optional<double> componentwise;     ///< condition_of_any()
    double inverse_norm = 0;                 ///< where the condition in the norm is known
    std::optional<Contraction> contraction;  ///< by factors alone
    std::string null_vector;  ///< one outside of the null space that was named, in words
  };

  /// Whether A is known to be singular; then it has no condition number, and a solution that is
  /// found in place of a known one is one of many.
  bool is_singular() const { return question_.options.null_space != NullSpaceKind::none; }

  /// The matrix of a solve, A or A^T, and the inverse that solves with it.
  struct SolveSide {
    SystemMatrix& matrix;
    LinearOperator& inverse;
    const ScaleFactors& rows;  ///< of its equilibration
    Estimates& known;
  };

  bool is_of_a(const SolveSide& side) const { return &side.matrix == matrix_.get(); }

  /// The facts that decide what is estimated; `first_error`: the backward error before refinement.
  TrustFacts facts_about(const SolveSide& side, double first_error) const;
  /// side.known.probe <- whether a solution that is known beforehand is found.
  void look_for_known_solution(const SolveSide& side, PhaseTimes& times);

  /// The facts of right-hand sides and their solutions that are known before these are judged.
  struct UnmeasuredFacts {
    std::vector<double> sizes;                 ///< ||x(:, c)|| of the columns that are judged
    std::vector<double> correction_residuals;  ///< of their last correction
    double of_rounding = 0;                    ///< when x comes back to the scale of b
    bool in_float = false;                     ///< corrections were by factors in float alone
  };

  /// Does a part of a set-up; where it throws, there is none, for that reason.
  template <typename Work>
  void set_up_by(const Work& work);

  /// Throws `error`, that A is singular, with the null space that A is seen to have and what to do
  /// about it; returns where there is none to be seen. Collective.
  void name_null_space(const Error& error);

  /// unscaled_, where there is one to solve with; see above.
  ScaledOperator& whole();

  /// Applies the inverse, whose factors some methods try out, or make, when they first solve.
  template <typename Apply>
  void apply_by(const Apply& apply);

  /// x <- A^-1 b, or that of the transposed matrix.
  template <typename Solve>
  SolveOutcome solve_scaled(const SolveSide& side, const Vectors& b, Vectors& x, PhaseTimes& times,
                            const Solve& solve);

  /// Whether the factors are in float.
  bool in_float(const InverseFacts& facts) const;
  /// The figures that are known before anything is estimated.
  TrustFigures figures_of(const UnmeasuredFacts& unmeasured, const Refinement& refinement) const;
  /// figures.condition <- a bound for any x.
  void estimate_condition_of_any_x(const SolveSide& side, TrustFigures& figures);
  /// figures.condition <- the one of x; nothing, where iterations that estimate it stagnate.
  void estimate_condition_of_x(const SolveSide& side, const Vectors& b, const Vectors& x,
                               const UnmeasuredFacts& unmeasured, TrustFigures& figures);

  /// A probe of the factors and condition numbers, as the table of estimates has it; then the
  /// verdict of all figures on x.
  void estimate_trust(const SolveSide& side, const Vectors& b, const Vectors& x,
                      const UnmeasuredFacts& unmeasured, PhaseTimes& times, SolveOutcome& outcome);

  /// The part of the error of x that neither residuals nor corrections show.
  double unmeasured_error(const SolveSide& side, const Vectors& x,
                          const UnmeasuredFacts& unmeasured, const Condition& condition);

  /// Refines x, an approximate solution, and judges it, as it will be when each column is
  /// multiplied by `factors`.
  SolveOutcome finish(const SolveSide& side, const Vectors& b, Vectors& x,
                      const std::vector<double>& factors, PhaseTimes& times);

  std::unique_ptr<SystemMatrix> matrix_;
  std::unique_ptr<SystemMatrix> transposed_;  // where it was asked for
  const SolverRow& row_;
  SolverQuestion question_;
  Equilibration scaling_;
  std::unique_ptr<Inverse> inverse_;
  std::optional<ScaledOperator> unscaled_;        // where A is set up
  bool prepared_ = false;                         // since new values came
  std::shared_ptr<StepWatch> watch_;              // of the last elimination
  std::string why_not_ = "it was not asked for";  // set up
  bool tried_ = false;                            // whether the inverse has solved since
  std::unique_ptr<Vectors> first_;  // the solution for b of eliminate(), if it came with it
  Estimates estimates_, of_transposed_;
  RefinementSpace space_;
};

}  // namespace spsolve::system
