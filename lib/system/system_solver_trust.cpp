// The part of SystemSolver that judges solutions: refinement, a known solution, estimates.

#include <algorithm>
#include <cmath>
#include <utility>

#include "krylov/null_space.hpp"
#include "solve/trust/unmeasured_error.hpp"
#include "system/system_solver.hpp"

namespace spsolve::inline system {

namespace {

/// Which elements of a vector, one column, are positive and which negative, of those that are not
/// small: how many, and the first of each. Collective.
std::string words_of_signs(const Vectors& v) {
  constexpr double small = 1e-2;  // of the largest
  const double least = small * maxima(v).front();
  const Dense<double> own = own_rows(v);
  const auto those_of = [&](double sign) {
    Index count = 0, first = v.rows();
    for (Index i = own.rows - 1; i >= 0; --i) {
      if (sign * own(i, 0) <= least) continue;
      ++count;
      first = v.own().first + i;
    }
    count = all_sum(v.team(), count);
    const double row = -all_maximum(v.team(), -static_cast<double>(first));
    return count == 0 ? std::string("in none")
                      : fmt::format("in {} row{}, row {:.0f} the first", count,
                                    count == 1 ? "" : "s", row + 1);
  };
  const std::string positive = those_of(1), negative = those_of(-1);
  return fmt::format("positive {}, negative {}", positive, negative);
}

}  // namespace

TrustFacts SystemSolver::facts_about(const SolveSide& side, double first_error) const {
  const SolverOptions& options = question_.options;
  const auto& krylov = inverse_->facts().krylov;
  // Factors that are worse than this say nothing about the condition of A.
  constexpr double largest_error = 1e-3;
  TrustFacts facts{.iterates = krylov.has_value(),
                   .fit = first_error <= largest_error && (!krylov || krylov->converged),
                   .condition = options.condition,
                   .singular = is_singular(),
                   .unnamed = is_singular() && !is_of_a(side),
                   .stops_early = options.tolerance != 0,
                   .known = side.known.normwise.has_value()};
  if (!krylov && !options.condition && options.precision == Precision::float32) {
    const Spread rows = scales_of(side.matrix).of_rows;
    facts.leaves_float = !(rows.most <= 0x1p60 * rows.least);
  }
  return facts;
}

void SystemSolver::look_for_known_solution(const SolveSide& side, PhaseTimes& times) {
  const InverseFacts& facts = inverse_->facts();
  times.measure(question_.options.condition ? "condition" : "check", [&] {
    if (is_of_a(side) && facts.probe) {
      side.known.probe = *facts.probe;
      return;
    }
    // Of iterations two steps tell what they don't see, of factors in float three whether they are
    // near.
    const bool by_float = question_.options.precision == Precision::float32;
    const bool iterates = inverse_->iterates();
    ProbeSetting setting{.least_steps = iterates ? 2 : by_float ? Probe::steps_of_near : 1};
    std::unique_ptr<Vectors> rest;
    if (is_singular()) {
      setting.project = [this](Vectors& x) { inverse_->project(x); };
      rest = side.matrix.vectors(1);
      setting.rest = rest.get();
    }
    Probe probe = probe_known_solution(side.matrix, side.inverse, setting);
    probe.by_factors = !iterates;
    side.known.probe = probe;
    side.known.null_vector.clear();
    constexpr double rounding = 1e-10;
    if (is_singular() && !probe.found() &&
        rounding * side.matrix.infinity_norm({}) * probe.inverse_norm >= 1) {
      side.known.null_vector = words_of_signs(*rest);
    }
  });
}

std::optional<Inertia> SystemSolver::inertia(bool cheaply) {
  const InverseFacts& facts = inverse_->facts();
  Inertia told;
  if (!facts.sparse || !facts.sparse->negative_pivots) {
    const Method method = choice().method;
    if (method != Method::sparse_ldlt && method != Method::sparse_cholesky) return std::nullopt;
    told.doubt = facts.sparse && facts.sparse->corrected_pivots > 0
                     ? "pivots were made larger, and solutions are corrected for that"
                     : "there are no factors";
    return told;
  }
  const SparseOutcome& found = *facts.sparse;
  const auto count = [&](Certainty certainty) {
    told.certainty = certainty;
    told.negative = *found.negative_pivots;
    told.zero = found.missing_pivots;
    told.positive = matrix_->order() - told.negative - told.zero;
  };
  if (found.missing_pivots > 0) {
    told.zero = found.missing_pivots;
    told.rows = facts.missing;
    told.doubt = "A is singular to working precision, which tells a numerical rank and no signs";
    return told;
  }
  LinearOperator* const factors = unscaled_ ? inverse_->factors_alone() : nullptr;
  if (factors == nullptr) {
    told.doubt = "there are no factors";
    return told;
  }
  Certainty certainty = Certainty::unknown;
  if (cheaply && !estimates_.contraction) {
    const auto& probe = estimates_.probe;
    const bool tells = probe && probe->found() && probe->by_factors && !inverse_->iterates();
    certainty = tells ? Certainty::likely : Certainty::unknown;
    told.doubt = tells ? "it was not asked for (solve.condition)"
                       : "nothing told whether the factors are near A";
  } else {
    if (!estimates_.contraction) {
      ScaledOperator inverse = ScaledOperator::unscaled(*factors, *matrix_, scaling_);
      estimates_.contraction = probe_contraction(
          *matrix_, inverse, scaling_.scales ? &scaling_.columns.on_host() : nullptr);
    }
    certainty = estimates_.contraction->certainty();
    if (certainty == Certainty::likely) {
      told.doubt = "the factors found solutions that were known only in several steps";
    } else if (certainty == Certainty::unknown) {
      told.doubt =
          fmt::format("{}the factors did not find solutions that were known",
                      found.perturbed_pivots > 0
                          ? fmt::format("{} pivots were made larger, and ", found.perturbed_pivots)
                          : "");
    }
  }
  if (certainty != Certainty::unknown) count(certainty);
  return told;
}

bool SystemSolver::in_float(const InverseFacts& facts) const {
  return question_.options.precision == Precision::float32 ||
         (facts.mixed && !facts.mixed->fell_back);
}

SolveOutcome SystemSolver::finish(const SolveSide& side, const Vectors& b, Vectors& x,
                                  const std::vector<double>& factors, PhaseTimes& times) {
  SystemMatrix& matrix = side.matrix;
  LinearOperator& inverse = side.inverse;
  SolveOutcome outcome;
  inverse_->expect(SolvePurpose::correction);
  const InverseFacts& facts = inverse_->facts();
  RefinementSetting setting{.most_sweeps = question_.options.refinement};
  // A Krylov method stops where it was told to, and where it got no further.
  const auto& krylov = facts.krylov;
  if (krylov && (!krylov->converged || question_.options.tolerance > 0)) setting.most_sweeps = 0;
  // Iterations tell by themselves what they leave of corrections.
  const auto rate_of_corrections = [&] {
    const bool of_corrections = !inverse_->iterates() && !(is_of_a(side) && facts.probe);
    return of_corrections ? side.known.probe->rate() : 0.0;
  };
  const bool looks = !krylov && trust_row(facts_about(side, 0)).probes;
  if (looks && side.known.probe) setting.rate = rate_of_corrections();
  // The weights of components in estimates of the condition: one more multivector is little
  // compared with long rows, by which a product takes long, too.
  const Index long_row = 16 * x.columns();
  const bool estimates = question_.options.condition && !is_singular();
  if (estimates && !side.known.normwise && matrix.nonzeros() >= long_row * matrix.order()) {
    space_.magnitudes = together(x.team(), [&] { return x.similar(x.columns()); });
  }
  outcome.refinement =
      times.measure("check", [&] { return refine(matrix, b, inverse, setting, x, space_); });
  space_.residual.finish();
  space_.correction.finish();
  if (const double part = inverse_->uncorrected_part(); part > 0 && outcome.refinement.tried) {
    double& error = outcome.refinement.forward_error;
    error = std::max(error, part * outcome.refinement.step);
  }
  UnmeasuredFacts unmeasured;
  const auto look_at_correction = [&] {
    unmeasured.correction_residuals = inverse_->correction_residuals();
    // For a singular A perhaps no A d equals the rest of the residual.
    if (inverse_->stagnated() && !is_singular()) {
      outcome.refinement.forward_error = Trust::unknown;
    }
  };
  if (outcome.refinement.tried) {
    look_at_correction();
  } else if (krylov && krylov->converged) {
    // The condition as iterations estimate it tells nothing of parts of x that they don't see.
    times.measure("check", [&] {
      inverse_->expect(SolvePurpose::estimate);
      outcome.refinement.forward_error =
          std::max(unit_roundoff, relative_correction(matrix, b, inverse, x));
      look_at_correction();
      inverse_->expect(SolvePurpose::correction);
    });
  }
  if (looks && !side.known.probe) {
    look_for_known_solution(side, times);
    setting.rate = rate_of_corrections();
    times.measure("check", [&] {
      refine_further(matrix, b, inverse, setting, x, space_, outcome.refinement);
    });
    space_.residual.finish();
    space_.correction.finish();
  }
  // Where factors correct in several steps, they tell what they leave.
  unmeasured.in_float = in_float(facts) && outcome.refinement.tried && !inverse_->iterates() &&
                        inverse_->uncorrected_part() == 0;
  unmeasured.sizes = maxima(x);
  std::vector<double> sizes = unmeasured.sizes;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    const double before = std::exchange(sizes[c], sizes[c] * factors[c]);
    if (before != 0 && sizes[c] == 0) unmeasured.of_rounding = Trust::unknown;
    if (std::isfinite(sizes[c])) continue;
    outcome.refinement.after = {Trust::unknown, Trust::unknown};
    outcome.refinement.forward_error = Trust::unknown;
  }
  unmeasured.of_rounding = std::max(unmeasured.of_rounding, UnmeasuredError::of_rounding(sizes));
  estimate_trust(side, b, x, unmeasured, times, outcome);
  return outcome;
}

double SystemSolver::unmeasured_error(const SolveSide& side, const Vectors& x,
                                      const UnmeasuredFacts& unmeasured,
                                      const Condition& condition) {
  double error =
      unmeasured.of_rounding +
      UnmeasuredError::of_underflow(side.matrix, x, unmeasured.sizes, condition, side.inverse);
  if (unmeasured.in_float) error += UnmeasuredError::of_float(side.matrix, condition);
  if (!unmeasured.correction_residuals.empty()) {
    error += UnmeasuredError::of_corrections(side.matrix, unmeasured.correction_residuals,
                                             scaling_.scales ? &side.rows.on_host() : nullptr,
                                             unmeasured.sizes, condition, side.inverse);
  }
  return error;
}

TrustFigures SystemSolver::figures_of(const UnmeasuredFacts& unmeasured,
                                      const Refinement& refinement) const {
  const SolverOptions& options = question_.options;
  const InverseFacts& facts = inverse_->facts();
  const EliminationChoice taken = choice();
  TrustFigures figures{
      .order = matrix_->order(),
      .method = taken.method,
      .precision = options.precision,
      .float_factors = in_float(facts),
      .pivots = facts.pivots,
      .has_pivots = !facts.krylov,
      .complete = taken.pivoting == Pivoting::complete,
      .asked_condition = options.condition,
      .asked_refinement = options.refinement > 0,
      .null_space = is_singular(),
      .null_vector = {},
      .iterates = facts.krylov.has_value() || !unmeasured.correction_residuals.empty(),
      .unmeasured = unmeasured.of_rounding,
      .asked = options.tolerance,
      .accept = options.accept,
      .refinement = refinement,
      .condition = {},
      .probe = {}};
  // By finish(), without adding the correction.
  figures.refinement.tried = refinement.tried || (facts.krylov && facts.krylov->converged);
  return figures;
}

void SystemSolver::estimate_condition_of_any_x(const SolveSide& side, TrustFigures& figures) {
  Estimates& known = side.known;
  if (!known.componentwise) {
    inverse_->expect(SolvePurpose::estimate);
    known.componentwise = condition_of_any(side.matrix, side.inverse);
    inverse_->expect(SolvePurpose::correction);
  }
  figures.condition = Condition{*known.normwise, *known.componentwise, true, known.inverse_norm};
}

void SystemSolver::estimate_condition_of_x(const SolveSide& side, const Vectors& b,
                                           const Vectors& x, const UnmeasuredFacts& unmeasured,
                                           TrustFigures& figures) {
  std::unique_ptr<Vectors> magnitudes = std::move(space_.magnitudes);
  space_ = {};  // estimates have vectors of their own
  inverse_->expect(SolvePurpose::estimate);
  // Estimates by iterations are too small where these see no more than solutions of them do.
  const double least = figures.iterates ? figures.probe->inverse_norm : 0;
  figures.condition =
      estimate_condition(side.matrix, b, x, side.inverse, std::move(magnitudes), least);
  figures.unmeasured = unmeasured_error(side, x, unmeasured, *figures.condition);
  const bool tells = !inverse_->stagnated();
  inverse_->expect(SolvePurpose::correction);
  if (tells) {
    side.known.normwise = figures.condition->normwise;
    side.known.inverse_norm = figures.condition->inverse_norm;
  } else {
    figures.condition.reset();
    figures.refinement.forward_error = Trust::unknown;
  }
}

void SystemSolver::estimate_trust(const SolveSide& side, const Vectors& b, const Vectors& x,
                                  const UnmeasuredFacts& unmeasured, PhaseTimes& times,
                                  SolveOutcome& outcome) {
  const auto& krylov = inverse_->facts().krylov;
  // The outcome of a Krylov method differs from one right-hand side to the next.
  if (krylov) side.known = {};
  const double first_error = outcome.refinement.before.backward_error;
  const TrustRow& row = trust_row(facts_about(side, first_error));
  TrustFigures figures = figures_of(unmeasured, outcome.refinement);
  if (row.probes) {
    if (!side.known.probe) look_for_known_solution(side, times);
    figures.probe = side.known.probe;
    figures.null_vector = side.known.null_vector;
  }
  if (row.norm == InverseNorm::of_probe) {
    figures.unmeasured =
        unmeasured_error(side, x, unmeasured, {.inverse_norm = figures.probe->inverse_norm});
  }
  bool of_x = row.norm == InverseNorm::of_x;
  if (row.norm == InverseNorm::of_any_x) {
    times.measure("condition", [&] {
      estimate_condition_of_any_x(side, figures);
      figures.unmeasured = unmeasured_error(side, x, unmeasured, *figures.condition);
    });
    const Trust trust = judge(figures);
    of_x = trust.doubt != Doubt::none || !trust.notes.empty();
  }
  if (of_x) {
    times.measure("condition", [&] { estimate_condition_of_x(side, b, x, unmeasured, figures); });
  }
  outcome.condition = figures.condition;
  outcome.trust = judge(figures);
  // Causes come first.
  std::vector<std::string>& notes = outcome.trust.notes;
  if (is_of_a(side) && outcome.trust.verdict != Verdict::solved && !is_singular() &&
      takes_constants_to_zero(side.matrix)) {
    notes.insert(
        notes.begin(),
        "A takes vectors of equal elements to zero, so that x is one of many solutions, if there "
        "is one: a Krylov method with solve.null_space=constants finds the one whose elements add "
        "up to zero");
  }
  if (krylov && !krylov->shortfall.empty()) notes.insert(notes.begin(), krylov->shortfall);
  if (row.tells_unfit && std::isfinite(first_error)) {
    notes.push_back(
        fmt::format("no condition estimate: the factors are too inaccurate for it (backward error "
                    "{:.1e} before refinement)",
                    first_error));
  }
}

}  // namespace spsolve::system
