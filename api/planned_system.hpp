#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/users_watch.hpp"
#include "choice/system_choice.hpp"
#include "solve/operators/system_matrix.hpp"
#include "spsolve/solver.hpp"
#include "system/coordinates.hpp"

namespace spsolve {

/// The ranks of a Solver, and those of them that solve: all, or rank 0 alone for the others.
struct SolvingTeam {
  Ranks ranks;
  Gpus gpus;
  Config config;
  Index order;              ///< of A
  Index parts = 1;          ///< rows of the system to a row of A, see matrix/real_form.hpp
  bool conjugates = false;  ///< see Matrix::conjugates()
  std::unique_ptr<SoloTeam> alone;
  std::shared_ptr<UsersWatch> watch;  ///< null where no rank's user wants to know of steps

  SolvingTeam(const Matrix& a, const Options& options, Ranks of);

  Team& team() { return alone != nullptr ? *alone : ranks.team(); }

  /// Work of those that solve, whose errors are everybody's. Collective.
  template <typename Work>
  void solving(const Work& work) {
    if (watch == nullptr) return solving_unwatched(work);
    watch->during([&] { solving_unwatched(work); });
  }

  // What those that solve tell the others. Collective, as well.

  void share(std::vector<std::string>& sentences) {
    sentences.resize(broadcast_value(ranks.team(), sentences.size(), 0));
    for (std::string& sentence : sentences) share(sentence);
  }
  void share(std::string& text) { text = broadcast_text(ranks.team(), text, 0); }
  template <typename Number>
  void share(Number& number) {
    number = broadcast_value(ranks.team(), number, 0);
  }
  void share(SetUpReport& report);
  void share(std::optional<Inertia>& inertia);
  void share(SolverPlan& plan);
  void share(Solution& solution);

 private:
  template <typename Work>
  void solving_unwatched(const Work& work) {
    if (alone == nullptr) return work();
    together(ranks.team(), [&] {
      if (ranks.rank() == 0) work();
    });
  }
};

/// A system before anything is taken for it, but for its device: how it is solved.
struct PlannedSystem {
  const Gpus& gpus;
  const Config& config;
  SystemShape shape;
  TaskReport noted;
  std::optional<SystemChoice> choice;
  std::unique_ptr<ComputeDevice> memory;
  FoundCoordinates coordinates;
  const Dense<double>* places = nullptr;  // of all nodes on rank 0, where they come so
  MemoryPlan plan;
  MemoryCheck check;

  PlannedSystem(const Matrix& a, const Options& options, SolvingTeam& by);

  bool on_gpu() const { return memory->memory() == MemoryKind::gpu; }

  /// The matrix in bands of whole nodes, with their coordinates where the method takes them.
  std::unique_ptr<SystemMatrix> deal_out(const Matrix& a, Team& team) const;

 private:
  void note(const std::string& sentence) {
    if (!sentence.empty()) noted.notes.push_back(sentence);
  }
  void find_shape(const Matrix& a, const Options& options, Team& team);
  /// Of own rows all of them on rank 0, if an analysis there may want them; else none.
  Csr<double> gathered(const Matrix& a, Team& team) const;
  MemoryCheck check_gathering(Team& team, MemoryPlan& mine) const;
  PatternAnalysis analysis_for_remedies(const Matrix& a, Team& team) const;
  /// Coordinates from the options, or of a generator.
  void find_nodes(const Matrix& a, const Options& options, Team& team);
};

}  // namespace spsolve
