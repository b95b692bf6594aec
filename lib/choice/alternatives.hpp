#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "choice/solver_table.hpp"
#include "plan/memory_plan.hpp"

namespace spsolve::inline choice {

/// A square matrix, and the right-hand sides that come with it.
struct SystemShape {
  MatrixShape matrix;
  Index right_hand_sides = 1;   ///< at once
  bool is_solved_once = true;   ///< no other right-hand side and no other values are expected
  Index systems = 1;            ///< of this pattern that are expected
  Index null_vectors = 0;       ///< of a null space that is named
  int threads = 1;              ///< of rank 0
  bool rotates_matrix = false;  ///< its rows, once it is read (matrix.rotate_rows)
  bool rotates_right_hand_sides = false;          ///< likewise
  std::optional<ReadingTogether> reads_together;  ///< how, where rank 0 does not deal out
};

/// Plans of the ranks of a team of any size for questions about a system.
struct Planner {
  SystemShape system;
  std::int64_t resident;

  PlanFor of(const SolverQuestion& question) const;
};

/// The question of the system by another method, with all that does not go with it left to the
/// program, and the words that ask for it.
std::pair<SolverQuestion, std::string> by_method(const SolverQuestion& question, Method method);

/// Other choices that may need less memory, those that people should try first before the others:
/// the sparse method that the analysis was made for, a Krylov method for the same kind of matrix,
/// blocked elimination, less precision, a host.
std::vector<Remedy> remedies(const SolverQuestion& question, const Planner& planner);

/// A way to solve a system.
struct Alternative {
  std::string words;       ///< solve.method, and what else asks for it
  std::int64_t bytes = 0;  ///< that the rank takes that takes most, on the GPU where it is there
  std::int64_t on_disk = 0;
  double seconds = 0;     ///< predicted
  bool of_steps = false;  ///< seconds are those of a hundred steps, of an unknown number
  bool fits = true;
};

/// The rows of the solver table that suit the system, with those ways of the sparse one that take
/// less memory: factors in float, and on disk. The one that is taken is the first. `check`: of its
/// plan.
std::vector<Alternative> alternatives(const SolverQuestion& question, const Planner& planner,
                                      const MemoryCheck& check);

/// As a table for a person.
std::string to_text(const std::vector<Alternative>& ways);

}  // namespace spsolve::choice
