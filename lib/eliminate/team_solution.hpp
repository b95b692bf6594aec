#pragma once

#include <span>

#include "core/types.hpp"

namespace spsolve {

/// Which triangle of an eliminated matrix: L with its unit diagonal not stored, or U.
enum class Triangle { unit_lower, upper };

/// Where the rows of a team's right-hand sides are.
struct SolutionOrder {
  std::span<const Index> places;  ///< of step k, among the rows that its panel gathers
  std::span<const Index> steps;   ///< at which own local row i was eliminated
};

/// K right-hand sides on their way through the eliminated rows of one rank of a team, in its
/// BlockedBand's own memory: a sum c for each own row (height x K), and the whole of x in the order
/// of elimination (n x K). Multivectors are row-major. Calls may return before they are done;
/// values in host memory may change when a call has returned.
template <typename T>
class TeamSolution {
 public:
  virtual ~TeamSolution() = default;

  /// Begins anew: c <- `sums`, in host memory.
  virtual void begin(std::span<const T> sums, const SolutionOrder& order, Index columns) = 0;

  /// Memory for so many values of sums on their way between ranks, the same until the next begin()
  /// or until more are asked for.
  virtual std::span<T> buffer(Index size) = 0;

  /// Copies c(rows, :) to `packed`, a part of the buffer.
  virtual void pack_sums(Range rows, std::span<T> packed) = 0;

  /// x(panel, :) <- T^-1 times the panel's rows of `gathered`, a part of the buffer, for a triangle
  /// T of the panel's `factors`, in host memory (L and U, row-major, panel width squared).
  virtual void solve(Triangle triangle, Range panel, std::span<const T> factors,
                     std::span<const T> gathered) = 0;

  /// c(rows, :) <- c(rows, :) - A(rows, panel) x(panel, :).
  virtual void subtract_product(Range rows, Range panel) = 0;

  /// c(i, :) <- x(steps[i], :) for every own row: the way back begins.
  virtual void turn_back() = 0;

  /// Copies x to `solution`, in host memory; done when it returns.
  virtual void read(std::span<T> solution) = 0;
};

}  // namespace spsolve
