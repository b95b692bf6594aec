#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline krylov {

class CheckpointedIteration;
class IterationState;

/// When a Krylov method has done enough for A x = b, and what its steps came to. Every member is
/// the same on every rank.
class StoppingCriterion {
 public:
  struct Goal {
    /// ||A|| in the infinity norm: x is wanted to a backward error of `tolerance`; 0: to residuals
    /// of `tolerance` times ||b||.
    double norm = 0;
    double tolerance = 0;
    Index most_steps = 0;
    /// Whether no time is left, the same on every rank; called after every step. May be empty.
    /// Collective.
    std::function<bool()> out_of_time = {};
    /// Called with the steps so far and the largest error; may be empty.
    std::function<void(Index, double)> tell = {};
    /// The iteration that keeps the solve; null where none does.
    CheckpointedIteration* checkpointed = nullptr;
  };

  /// `of_b`: the maxima of the columns of b.
  StoppingCriterion(const Goal& goal, std::vector<double> of_b);

  std::size_t columns() const { return of_b_.size(); }
  Index steps() const { return steps_; }

  /// The largest error after every step, as residuals of the recurrences have it; and before the
  /// first one.
  const std::vector<double>& history() const { return history_; }

  /// max |r_i| / (||A|| max |x_i| + max |b_i|) of every column, infinite where it is not a number.
  /// A collective.
  std::vector<double> errors(const Vectors& x, const std::vector<double>& of_r) const;

  /// Takes notice of how large x is. Collective.
  void learn(const Vectors& x);

  /// Takes notice of the maxima of the residual's columns before a first step.
  void begin(const std::vector<double>& of_r);

  /// Takes notice of the maxima after a step, and of x now and then; hands back whether to stop:
  /// nothing is left to do, or no steps or no time are left. Collective, as learn() and
  /// out_of_time() may be called.
  bool enough(const std::vector<double>& of_r, const Vectors& x);
  /// Takes notice of a step where x is not at hand.
  bool enough(const std::vector<double>& of_r);

  /// Whether a column is done.
  bool done(std::size_t column) const { return done_[column]; }
  bool all_done() const;
  bool no_steps_left() const { return steps_ >= goal_.most_steps; }
  bool no_time_left() const { return late_; }
  bool must_stop() const { return no_steps_left() || late_; }

  /// The residual's maximum that column c is done at.
  double target(std::size_t column) const;

  const Goal& goal() const { return goal_; }

  /// Names what it knows, to be kept or taken (checkpointed_iteration.hpp).
  void name(IterationState& state);

 private:
  void note(const std::vector<double>& of_r);

  Goal goal_;
  std::vector<double> of_b_, of_x_;
  std::vector<bool> done_;
  std::vector<double> history_;
  Index steps_ = 0;
  bool late_ = false;
};

}  // namespace spsolve::krylov
