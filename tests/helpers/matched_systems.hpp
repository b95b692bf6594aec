#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sparse/sparse_inverse.hpp"
#include "team/team.hpp"

// Systems of interior-point methods by L D L^T, on a host or a GPU, and what matched rows that stay
// together are to bring them.

namespace spsolve::test {

/// Systems of one pattern that are eliminated one after another.
class EliminatedSequence {
 public:
  /// `spec`: a generator's matrix of that pattern.
  EliminatedSequence(SparseMemory& memory, const VectorMemory& vectors, std::string_view spec,
                     AutoSwitch matching, AutoSwitch equilibrate);

  SparseOutcome eliminate(std::string_view spec);
  SparseOutcome eliminate(const std::vector<double>& values);

  /// The largest normwise backward error of solves with A and its transpose.
  double error();

  SparseInverse<double>& inverse() { return inverse_; }

 private:
  SoloTeam team_;
  SystemMatrix matrix_;
  AutoSwitch equilibrate_;
  Equilibration scaling_;
  SparseInverse<double> inverse_;
  std::unique_ptr<Vectors> x_, y_;
  Progress silent_{"eliminating", 1, Progress::Show::off};
};

/// No pivot is too small where solve.matching is on.
void expect_pairs_leave_no_small_pivots(SparseMemory& memory, const VectorMemory& vectors);

/// Values whose pivots were too small bring pairs for those that follow, of which none is then:
/// of control over so many points of time, from a step of the optimisation on.
void expect_pairs_for_later_values(SparseMemory& memory, const VectorMemory& vectors, int points,
                                   int step);

}  // namespace spsolve::test
