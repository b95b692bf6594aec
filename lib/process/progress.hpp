#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/timer.hpp"
#include "core/types.hpp"
#include "process/step_watch.hpp"

namespace spsolve::inline process {

/// How far a long task is: one row that is rewritten on a terminal, a line now and then in a log.
/// Only the rank that is given Progress::Show other than off prints.
class Progress {
 public:
  enum class Show { off, terminal, log };

  /// `flops` is the work of the whole task. The terminal's row goes to `stream`, a
  /// log's lines to the log.
  Progress(std::string label, double flops, Show show, std::FILE* stream = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that `fraction` of the work was done before this began, which no rate counts.
  void resume(double fraction) { before_ = fraction; }

  /// Says that the work that `label` names begins, or begins anew since the work so far did not do.
  void restart(std::string label);

  /// Names the steps.
  void call_steps(std::string name) { step_ = std::move(name); }

  /// Tells `watch`, too, of iterations and of every thousandth of other work; null: nobody.
  void watch_by(std::shared_ptr<StepWatch> watch) { watch_ = std::move(watch); }
  const std::shared_ptr<StepWatch>& watch() const { return watch_; }

  /// Says that `step` of `steps` is done and with it `fraction` of the work, between 0 and 1; of an
  /// iteration also its backward error. Throws as end_where_interrupted() and StepWatch::tell().
  void done(Index step, Index steps, double fraction, std::optional<double> error = {});

  /// done() by all ranks at the same step. Collective.
  void done_by_all(Index step, Index steps, double fraction, std::optional<double> error = {});

 private:
  void show(Index step, Index steps, double fraction, std::optional<double> error);
  void print(Index step, Index steps, double fraction, std::optional<double> error);
  /// The step, if it is one to tell of.
  std::optional<TaskStep> watched(Index step, Index steps, double fraction,
                                  std::optional<double> error);

  std::string label_, step_ = "step";
  double flops_;
  Show show_;
  std::FILE* stream_;
  Timer timer_;
  double before_ = 0;     // fraction of the work
  double next_ = 0;       // seconds at which to print again
  double interval_ = 0;   // seconds between two prints
  bool printed_ = false;  // a row stands on the terminal
  std::shared_ptr<StepWatch> watch_;
  double next_watched_ = 0;  // fraction of the work
};

/// The meaning of output.progress=auto here: a row on a terminal, lines elsewhere.
Progress::Show show_for(std::FILE* stream);

}  // namespace spsolve::process
