#pragma once

#include <span>
#include <string_view>

namespace spsolve::inline solve {

/// The facts that decide what is estimated of a solution.
struct TrustFacts {
  bool iterates = false;      ///< a Krylov method solves, not factors
  bool fit = true;            ///< first solutions are near enough for estimates, and converged
  bool condition = true;      ///< solve.condition was asked for
  bool singular = false;      ///< A is known to be
  bool unnamed = false;       ///< of A^T, whose null space may be another one than was named
  bool stops_early = false;   ///< iterations were told a backward error to stop at
  bool leaves_float = false;  ///< factors are in float, whose range the scales of rows leave
  bool known = false;         ///< the condition in the norm is, of a solution before
};

/// The estimate that tells ||A^-1||, by which errors come that no residual shows.
enum class InverseNorm {
  unknown,
  of_probe,  ///< the known solution that is looked for
  of_x,      ///< the condition of A x = b, by components, too
  of_any_x,  ///< a bound on that for any x; where something is doubted with it, that of x as well
};

/// A row of the table of estimates.
struct TrustRow {
  std::string_view name;
  bool (*holds)(const TrustFacts&);
  bool probes;  ///< a solution that is known beforehand is looked for, see probe_known_solution()
  InverseNorm norm;
  bool tells_unfit = false;  ///< a note says that there is no condition, and why
};

/// All rows, the last of which always holds.
std::span<const TrustRow> trust_table();

/// The first row that holds for these facts. With factors, `fit` does not change whether it probes.
const TrustRow& trust_row(TrustFacts facts);

}  // namespace spsolve::solve
