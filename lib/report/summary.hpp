#pragma once

#include <string>

#include "report/report.hpp"

namespace spsolve::inline report {

/// A run in one line: "solved: x in x.npy, about 16 digits, 0.22 s". Digits are those of the
/// largest components of x that are right for A and b as they are stored, by the forward error as
/// the last corrections or else the bound have it; none are named where neither is known. Where a
/// note counts digits that are lost if A and b are rounded, the digits that are left then follow.
std::string summary(const SolveReport& report);
std::string summary(const MultiplyReport& report);

/// One system of a sequence, likewise.
std::string summary(const StepReport& step);

/// The forward error as the last corrections let expect it, or else its bound.
double forward_error(const Trust& trust);

/// Decimal digits of the largest components of x that are right for a forward error >= 0.
int digits_right(double error);

/// The condition by components, infinite where it is not known.
double condition_of(const std::optional<Condition>& condition);

/// The summary of a run that came to no end.
std::string summary(const Failure& failure);

}  // namespace spsolve::report
