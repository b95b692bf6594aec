#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/matrix_source.hpp"
#include "solve/operators/system_matrix.hpp"
#include "task/input/right_hand_side.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

/// One system of a sequence: a right-hand side, perhaps with new values of the matrix' pattern.
struct Step {
  Config::RightHandSide b;
  std::string source;              ///< of b, in words
  std::filesystem::path values;    ///< empty: the values that are there
  std::filesystem::path solution;  ///< empty: it is not written
};

/// The systems that `config` stands for: one; or one for each file of the pattern that names the
/// right-hand sides, and for each of those of matrix.values - where there are several of both, the
/// first with the first, and so on. A '*' in output.solution stands for what the '*' of the pattern
/// stood for. `found`: the right-hand side as find_right_hand_side() has it. Looks at this rank's
/// files. Throws Error(input) where a pattern fits none, or their numbers differ.
std::vector<Step> steps_of(const Config& config, const FoundRightHandSide& found);

/// The steps of rank 0 on every rank. Collective.
std::vector<Step> steps_for_all(Team& team, std::vector<Step> steps);

/// Values of a file for own rows of the matrix of that form: those of a matrix of the same pattern,
/// or of an array of one for each non-zero, row after row, columns ascending; of a complex matrix
/// they are complex. Rank 0 reads it. Throws the same Error(input) on every rank where the pattern
/// is another one. Collective.
std::vector<double> values_of(const std::filesystem::path& file, SystemMatrix& matrix,
                              const SystemForm& form);

/// Throws the errors that values_of() would throw of a file whose numbers are right by themselves.
void check_values(const std::filesystem::path& file, const LoadedMatrix& matrix);

}  // namespace spsolve::task
