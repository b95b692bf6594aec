#pragma once

namespace spsolve {

/// What a solve is for: a solution as it was asked for, a correction of one or a trial of the
/// inverse, an estimate of norms.
enum class SolvePurpose { solution, correction, estimate };

/// What iterations leave of the right-hand sides of a correction: it is as far below the solution
/// as that is accurate, and its own digits behind these count no more.
inline constexpr double correction_tolerance = 1e-6;

}  // namespace spsolve
