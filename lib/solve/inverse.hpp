#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "process/progress.hpp"
#include "solve/operators/equilibrate.hpp"
#include "solve/operators/linear_operator.hpp"
#include "solve/operators/pivot_statistics.hpp"
#include "solve/operators/system_matrix.hpp"
#include "solve/part_seconds.hpp"
#include "solve/solve_purpose.hpp"
#include "solve/trust/probe.hpp"

namespace spsolve::inline checkpoint {
class Checkpoints;
}

namespace spsolve::inline solve {

/// How an elimination in mixed precision went.
struct MixedOutcome {
  int steps = 0;           ///< of GMRES for the first right-hand sides
  bool fell_back = false;  ///< the factors are those of double
};

/// The fronts at one level of an elimination tree.
struct FrontLevel {
  Index fronts = 0;
  Index largest_front = 0;  ///< rows of the largest one
  double flops = 0;         ///< of all of them
};

/// The fronts of a sparse elimination, level by level, the roots at level 0. Fronts deeper than
/// there is room for count in the last level.
struct FrontLevels {
  static constexpr std::size_t most = 64;
  std::array<FrontLevel, most> of{};
  std::size_t count = 0;

  std::span<const FrontLevel> all() const { return {of.data(), count}; }
};

/// How one GPU takes the fronts of a sparse elimination: small ones whole, each in a thread block;
/// large products by the vendor's library; everything else in batches of tiles.
struct KernelStatistics {
  Index launches = 0;        ///< of one elimination
  double small_flops = 0;    ///< of small fronts
  double library_flops = 0;  ///< of products by the library, what they do above a diagonal, too
};

/// How a sparse elimination went.
struct SparseOutcome {
  std::string_view factorisation;  ///< LL^T, LDL^T, LDL^H or LU
  std::string_view ordering;       ///< the word of solve.ordering that was taken
  double analysis_seconds = 0;     ///< of the analysis that the factors were made by
  double flops = 0;                ///< of the factors, once, of real numbers
  Index blocks = 1;                ///< diagonal ones that were eliminated by themselves
  Index fronts = 0;
  Index pairs = 0;                      ///< of matched rows that the order keeps together
  int ranks = 1;                        ///< that hold the factors
  FrontLevels levels;                   ///< of these fronts
  std::optional<KernelStatistics> gpu;  ///< of rank 0's alone
  Index factor_entries = 0;             ///< of L, and of U where there is one
  bool complex = false;                 ///< they are complex numbers, two real ones each
  Index perturbed_pivots = 0;           ///< too small ones that were made larger
  Index corrected_pivots = 0;           ///< likewise, which solutions are corrected for
  Index delayed_pivots = 0;             ///< those that fronts passed on to their parents
  Index moved_pivots = 0;               ///< those that were taken off the diagonal
  /// Negative ones of D, and of L L^T none: eigenvalues of what the factors are of.
  std::optional<Index> negative_pivots;
  Index missing_pivots = 0;  ///< of a singular A
  int gmres_steps = 0;       ///< of the first solve with perturbed pivots
};

/// A level of a multigrid hierarchy.
struct GridLevel {
  Index rows = 0;
  Index nonzeros = 0;
};

/// How the first solve by a Krylov method went.
struct KrylovOutcome {
  std::string_view preconditioner;  ///< the word of solve.preconditioner that was taken
  double setup_seconds = 0;         ///< of the preconditioner
  bool renewed = false;             ///< it has its pattern of earlier values
  Index steps = 0;
  bool converged = true;             ///< to the backward error that was asked for
  double asked = 0;                  ///< that
  std::vector<double> history;       ///< backward error before the first step and after each, by
                                     ///< residuals of the method's recurrences; the worst column
  std::vector<GridLevel> levels;     ///< of multigrid, the finest first
  std::string_view near_null_space;  ///< of multigrid: what it was told of; empty: nothing
  std::string null_space;            ///< of a singular A: which one was named; empty: none
  std::string shortfall;             ///< where it did not converge: a sentence
};

/// The facts that an inverse tells of itself for a report, the same on every rank but for seconds.
struct InverseFacts {
  std::optional<Method> instead;  ///< the method that did it, where it is not the one chosen
  PivotStatistics pivots;
  std::vector<std::string> notes;  ///< what a reader of the report should know
  std::vector<Index> missing;      ///< rows of a singular A without a pivot, from 0, ascending
  std::optional<MixedOutcome> mixed;
  std::optional<Probe> probe;        ///< by float factors alone, where these are near
  std::optional<LuSeconds> seconds;  ///< of lu
  std::optional<SparseOutcome> sparse;
  std::optional<KrylovOutcome> krylov;  ///< then there are no pivots
};

/// The services and inputs that go along with an elimination.
struct EliminationRun {
  Progress& progress;
  Checkpoints* checkpoints = nullptr;  ///< that it keeps itself by, and goes on from
  /// Right-hand sides of (R A C) y = f that will be asked for first, where they are known: mixed
  /// precision takes them for its trial, gauss_jordan along.
  const Vectors* first = nullptr;
  /// A first guess of their solutions y, for methods that begin with one.
  const Vectors* guess = nullptr;
};

/// (R A C)^-1 for a system's matrix A and its scale factors R and C, as what owns everything that
/// it takes: what a row of the solver table makes. prepare(), then eliminate(), then apply() as
/// often as wanted; prepare() again for new values. Collective, all of it.
class Inverse : public LinearOperator {
 public:
  /// scaling <- scale factors R and C that this elimination wants: those of equilibration_of(),
  /// unless it says otherwise. prepare() is called with `scaling` next; its memory is used again.
  virtual void find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                            Equilibration& scaling) {
    scaling = equilibration_of(matrix, wanted, precision);
  }

  /// Takes in the values: what eliminate() works on lies ready. `matrix` and `scaling` must stay as
  /// they are until eliminate() has returned. Throws Error(resources) on every rank where memory is
  /// short on one.
  virtual void prepare(SystemMatrix& matrix, const Equilibration& scaling) = 0;

  /// Eliminates. Throws Error(not_trustworthy) on every rank where a pivot is zero or not finite.
  /// Hands back what it solved for run.first on the way, if it did.
  virtual std::unique_ptr<Vectors> eliminate(const EliminationRun& run) = 0;

  /// Says what the solves from now on are for, which methods that come near A^-1 step by step do
  /// with more or fewer steps.
  virtual void expect(SolvePurpose) {}

  /// Whether an iteration makes the corrections: a Krylov method, or GMRES on factors.
  virtual bool iterates() const { return false; }

  /// ||f - R A C y||, infinity norm, for each column of the right-hand sides f of the last
  /// correction y, or estimate, since expect() (or of A^T, ||f - C A^T R y||), where an iteration
  /// stopped at it; empty where factors alone solve.
  virtual std::vector<double> correction_residuals() const { return {}; }

  /// The part of the last correction that is left to correct, at most, as far as a probe tells:
  /// where factors that are near A, but not those of A, made it in a few steps.
  virtual double uncorrected_part() const { return 0; }

  /// Whether the last correction, or any estimate since expect(), came to nothing: an iteration
  /// that did not halve its right-hand side. Its results tell neither errors nor norms.
  virtual bool stagnated() const { return false; }

  /// (R A C)^-1 by the factors whose pivots facts() tells, with no iteration; null where there are
  /// none.
  virtual LinearOperator* factors_alone() { return nullptr; }

  /// One of the three that (R A C)^-1 by factors is made of, forward first; null where they are not
  /// apart.
  virtual LinearOperator* substitution(Substitution) { return nullptr; }

  /// M^-1, as near to (R A C)^-1 as one application of the preconditioner comes that the iteration
  /// has; null where there is none.
  virtual LinearOperator* preconditioner() { return nullptr; }

  /// Where factors are those of a matrix near A, as perturbed pivots leave them: makes those of A
  /// in their place, throwing as eliminate() does, and says that it did; from now on at once.
  virtual bool eliminate_exactly() { return false; }

  /// Takes out of x the null space of A that was named; leaves x as it is where none was.
  virtual void project(Vectors&) const {}

  virtual const InverseFacts& facts() const = 0;
};

}  // namespace spsolve::solve
