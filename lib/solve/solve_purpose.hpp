#pragma once

namespace spsolve::inline solve {

/// The purpose of a solve: a solution as it was asked for, a correction of one or a trial of the
/// inverse, an estimate of norms.
enum class SolvePurpose { solution, correction, estimate };

}  // namespace spsolve::solve
