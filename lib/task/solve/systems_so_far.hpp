#pragma once

#include <optional>
#include <vector>

#include "config/config.hpp"
#include "report/report.hpp"
#include "solve/operators/system_matrix.hpp"
#include "task/solve/finished_systems.hpp"
#include "task/solve/sequence.hpp"

namespace spsolve::inline task {

/// The outcomes of the systems of a sequence, those that an earlier run solved among them: their
/// lines in the report and in the log. Collective, all of it but worst().
class SystemsSoFar {
 public:
  SystemsSoFar(Team& team, SolveReport& report) : team_(team), report_(report) {}

  /// Takes the lines of the systems that checkpoint.systems of `config` names as solved, of systems
  /// with these values of the matrix; hands back how many.
  std::size_t begin(const Config& config, SystemMatrix& matrix, const std::vector<Step>& steps);

  /// One more: `told` of it, begun_report() where it has no solution.
  void add(const Step& step, const StepReport& told);

  /// All of them are done. Of failures a note tells. Throws Error(not_trustworthy) on every rank
  /// where none was solved.
  void finish();

  /// The worst of those that an earlier run solved, or that have no solution.
  Verdict worst() const { return worst_; }

 private:
  void list(const StepReport& told);

  Team& team_;
  SolveReport& report_;
  std::optional<FinishedSystems> kept_;  // on rank 0, where they are kept
  Verdict worst_ = Verdict::solved;
};

}  // namespace spsolve::task
