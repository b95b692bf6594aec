#include "solve/trust/trust_table.hpp"

#include <algorithm>

namespace spsolve::inline solve {

namespace {

using enum InverseNorm;

// Iterations that stop early lose solutions of other systems, too, as do factors in float where
// scales leave its range. An inverse for right-hand sides in the range of a singular A need not
// find a known solution where the null space is not the one that was named.
constexpr TrustRow rows[] = {
    {"an iteration that is not fit", [](const TrustFacts& f) { return f.iterates && !f.fit; },
     false, unknown},
    {"a null space that was not named", [](const TrustFacts& f) { return f.unnamed; }, false,
     unknown},
    {"an iteration, with its condition",
     [](const TrustFacts& f) { return f.iterates && f.condition && !f.singular; }, true, of_x},
    {"an iteration that stops early",
     [](const TrustFacts& f) { return f.iterates && f.stops_early && !f.condition; }, false,
     unknown},
    {"an iteration", [](const TrustFacts& f) { return f.iterates; }, true, of_probe},
    {"scales that leave float", [](const TrustFacts& f) { return f.leaves_float && !f.condition; },
     false, unknown},
    {"factors", [](const TrustFacts& f) { return f.singular || !f.condition; }, true, of_probe},
    {"factors that are not fit", [](const TrustFacts& f) { return !f.fit; }, true, unknown, true},
    {"factors, of a later solution", [](const TrustFacts& f) { return f.known; }, true, of_any_x},
    {"factors, with their condition", [](const TrustFacts&) { return true; }, true, of_x},
};

}  // namespace

std::span<const TrustRow> trust_table() {
  return rows;
}

const TrustRow& trust_row(TrustFacts facts) {
  return *std::ranges::find_if(rows, [&](const TrustRow& row) { return row.holds(facts); });
}

}  // namespace spsolve::solve
