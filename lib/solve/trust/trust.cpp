#include "solve/trust/trust.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/extremes.hpp"

namespace spsolve::inline solve {

namespace {

/// No digit of x is certain where its error may be as large.
constexpr double no_digit = 0.1;

/// The largest condition by components that factors in float can tell where they are not near.
constexpr double largest_by_float = 0.1 * 0x1p24;

/// Above these growths of entries the reader is told.
constexpr double noteworthy_growth = 1e6;

/// Backward errors above these say that x does not solve the system.
double largest_trusted_error(Precision precision) {
  return precision == Precision::float32 ? 1e-5 : 1e-12;
}

/// Whether x solves a system near A x = b.
bool has_small_residual(const TrustFigures& figures) {
  return figures.refinement.after.backward_error <=
         std::max(figures.asked, largest_trusted_error(figures.precision));
}

/// Whether the pivots may be those of a singular matrix, for all that they tell alone.
bool pivots_range_far(const TrustFigures& figures) {
  const double roundoff = figures.precision == Precision::float32 ? 0x1p-24 : unit_roundoff;
  return figures.order > 0 && figures.has_pivots &&
         figures.pivots.smallest_pivot <=
             static_cast<double>(figures.order) * roundoff * figures.pivots.largest_pivot;
}

/// Of a known solution that was not found: whether it is A that is singular, or too near to it.
bool is_the_matrix(const TrustFigures& figures) {
  return !figures.float_factors && figures.condition &&
         figures.condition->normwise * static_cast<double>(figures.order) >= 0.1 / unit_roundoff;
}

/// Whether factors found a known solution by themselves, in steps that left little each.
bool near_factors(const TrustFigures& figures) {
  return figures.probe && figures.probe->near(figures.order);
}

/// The part of the error of x that an iteration does not see, and corrects no more than it did of a
/// known solution's. With near factors it sees all.
double unseen(const TrustFigures& figures) {
  const bool all = !figures.iterates || !figures.probe || near_factors(figures) ||
                   figures.probe->found_all(figures.order);
  return all ? 0.0 : figures.probe->left;
}

/// The error of x by its corrections: the last one, and what it does not show. Where there is a
/// bound, it is what they let expect.
double estimate_of(const TrustFigures& figures) {
  const double in_place_of_bound = figures.condition ? 0.0 : unseen(figures);
  return figures.refinement.forward_error + figures.unmeasured + in_place_of_bound;
}

/// Whether the error that an iteration does not see was looked for.
bool is_measured(const TrustFigures& figures) {
  return !figures.iterates || figures.condition || figures.probe;
}

/// The bound on the error of x by the condition, where there is one. The condition by an iteration
/// is too small where its corrections are larger.
double bound_of(const TrustFigures& figures) {
  const double bound = forward_bound(*figures.condition, figures.refinement.after);
  const double correction = figures.refinement.forward_error;
  const bool counts = figures.iterates && std::isfinite(correction);
  return (counts ? std::max(bound, correction) : bound) + figures.unmeasured + unseen(figures);
}

Doubt doubt_about(const TrustFigures& figures) {
  const auto& condition = figures.condition;
  if (!figures.null_vector.empty()) return Doubt::null_space;
  // Of a singular A whose null space was named, corrections may be poor though x is right: what
  // they leave counts as unseen then.
  const double most_left = figures.null_space ? no_digit : Probe::least_doubt;
  if (figures.probe && !(figures.probe->left <= most_left)) {
    return is_the_matrix(figures) ? Doubt::singular : Doubt::factors;
  }
  // Elements that are small compared with others vanish in float, and so do corrections of them.
  const bool vanishes = condition
                            ? condition->componentwise >= largest_by_float && !near_factors(figures)
                            : figures.refinement.after.componentwise_error >= no_digit;
  if (figures.float_factors && vanishes) return Doubt::factors;
  if (condition && condition->componentwise >= 1 / unit_roundoff) return Doubt::singular;
  const double estimate = estimate_of(figures);
  // Where iterations that x was corrected by told nothing, their estimates of norms don't, either.
  if (!figures.has_pivots && figures.refinement.tried && !std::isfinite(estimate))
    return Doubt::correction;
  // Corrections by factors in float, or by iterations, vanish where one part of x hides another.
  const bool corrects = !figures.float_factors && !figures.iterates;
  const bool found_and_converged = figures.probe && estimate < no_digit && corrects;
  if (condition && !found_and_converged && !(bound_of(figures) < no_digit)) {
    return Doubt::bound;
  }
  if (std::isfinite(estimate) && estimate >= no_digit) return Doubt::correction;
  if (!condition && !figures.probe && pivots_range_far(figures)) return Doubt::pivots;
  return condition || std::isfinite(estimate) ? Doubt::none : Doubt::unmeasured;
}

Verdict verdict_on(Doubt doubt, const TrustFigures& figures) {
  if (!has_small_residual(figures)) return Verdict::not_trustworthy;
  const bool accepted = doubt == Doubt::none || figures.accept == Acceptance::residual;
  return accepted ? Verdict::solved : Verdict::uncertain;
}

/// Why it is thought that A, or what the factors make of it, is singular.
std::string evidence(const TrustFigures& figures) {
  std::string words;
  if (figures.condition) {
    const bool found = !figures.probe || figures.probe->found();
    words = found ? fmt::format("condition number about {:.0e} by components",
                                figures.condition->componentwise)
                  : fmt::format("condition number about {:.0e}", figures.condition->normwise);
  }
  if (figures.probe && !figures.probe->found()) {
    if (!words.empty()) words += "; ";
    words += "a random solution, known beforehand, was not found again";
  }
  if (words.empty()) {
    words = fmt::format("a componentwise backward error of {:.0e}",
                        figures.refinement.after.componentwise_error);
  }
  return words;
}

/// The advice of what else to try, "; try ..." with alternatives to choose from; "" where there is
/// none.
std::string advice(const std::vector<std::string>& alternatives) {
  return alternatives.empty() ? "" : fmt::format("; try {}", fmt::join(alternatives, " or "));
}

/// Adds the alternative that loses the fewest digits, unless that was done or A is too large for
/// it.
void add_most_stable(const TrustFigures& figures, std::vector<std::string>& alternatives) {
  constexpr Index most_rows = 30000;  // 7 GB, and an hour
  if (figures.complete || figures.order > most_rows) return;
  alternatives.push_back(
      std::string("solve.method=gauss with solve.pivoting=complete") +
      (is_sparse(figures.method) || is_krylov(figures.method) ? " (which makes A dense)" : ""));
}

/// A note on how certain x is where no doubt, or that about its pivots alone, was found; empty for
/// nothing to say.
std::string note_on_certainty(Doubt doubt, const TrustFigures& figures) {
  if (!figures.condition && pivots_range_far(figures)) {
    return fmt::format(
        "pivots range over {:.0e}: the matrix is badly scaled, or singular to working precision; "
        "x may have few correct digits although its backward error is small{}",
        figures.pivots.largest_pivot / figures.pivots.smallest_pivot,
        doubt == Doubt::pivots && !figures.asked_condition ? "; solve.condition=true tells" : "");
  }
  if (!is_measured(figures) && doubt == Doubt::none) {
    if (figures.null_space) {
      return "nothing tells how many digits of x are right: the null space that was named is that "
             "of A, and not of the transposed matrix";
    }
    return fmt::format(
        "nothing tells how many digits of x are right, nor whether the matrix is singular and x "
        "one "
        "of many solutions: {}",
        figures.asked_condition ? "the iteration ended too early for estimates; a smaller "
                                  "solve.tolerance allows them"
                                : "solve.condition=true does");
  }
  if (!figures.condition || figures.condition->componentwise < noteworthy_condition) return {};
  const double componentwise = figures.condition->componentwise;
  return fmt::format(
      "the system is ill-conditioned (condition number about {:.0e} by components): if A and b "
      "were "
      "rounded before they were stored, x may be off by up to {:.0e} of its norm, and about {} of "
      "its {} digits are lost",
      componentwise, componentwise * unit_roundoff,
      digits_of_double - digits_if_rounded(componentwise), digits_of_double);
}

/// The note on what doubt, or a large condition, means for x; nothing where few digits are at
/// stake.
std::string note_on(Doubt doubt, const TrustFigures& figures) {
  std::vector<std::string> alternatives;
  const char* but = has_small_residual(figures) ? "x has a small residual, but " : "";
  switch (doubt) {
    case Doubt::singular:
      return fmt::format(
          "the matrix is singular to working precision ({}): changes of A and b in their last "
          "digit change the first digit of x; {}none of its digits is certain",
          evidence(figures), but);
    case Doubt::factors:
      if (figures.float_factors) {
        return fmt::format(
            "the system is ill-conditioned ({}), and factors in float can't tell how far, nor "
            "whether the matrix is singular: {}its digits are not certain; solve.precision=double "
            "tells how many are",
            evidence(figures), but);
      }
      if (figures.has_pivots) {
        add_most_stable(figures, alternatives);
      } else {
        alternatives.push_back("a sparse method");
      }
      return fmt::format(
          "the {} to tell this matrix from a singular one ({}): none of the digits of x is "
          "certain{}",
          figures.has_pivots ? "elimination lost too many digits" : "iteration finds too little",
          evidence(figures), advice(alternatives));
    case Doubt::null_space:
      return fmt::format(
          "A takes more vectors to zero than solve.null_space names (one is {}), so that x is one "
          "of many solutions: none of its digits is certain; name all of them, by a file",
          figures.null_vector);
    case Doubt::bound:
      if (figures.unmeasured >= no_digit) {
        return fmt::format(
            "the error of x may be as large as x itself ({:.0e} of it, which residuals are too "
            "small, or too inaccurate, to show): none of its digits is certain",
            figures.unmeasured);
      }
      return fmt::format(
          "the error of x may be as large as x itself (condition x backward error is {:.0e}): none "
          "of its digits is certain",
          bound_of(figures));
    case Doubt::correction:
      if (!std::isfinite(figures.refinement.forward_error)) {
        return fmt::format(
            "{}the iteration found nothing that tells how far x may be off: none of its digits is "
            "certain; try a sparse method",
            but);
      }
      return fmt::format(
          "refinement did not converge (its last correction was {:.0e} of x): none of the digits "
          "of x is certain",
          figures.refinement.forward_error);
    case Doubt::unmeasured: {
      std::vector<std::string_view> missing;
      if (!figures.asked_condition) missing.push_back("solve.condition=true");
      if (!figures.asked_refinement) missing.push_back("solve.refinement=10");
      return fmt::format(
          "neither a condition number nor a correction of refinement tells how far x may be off: "
          "{}none of its digits is certain{}",
          but, missing.empty() ? "" : fmt::format("; {} may tell", fmt::join(missing, " with ")));
    }
    case Doubt::pivots:
    case Doubt::none:
      break;
  }
  return note_on_certainty(doubt, figures);
}

/// Whether numbers that x is judged by are not finite.
bool is_out_of_range(const TrustFigures& figures) {
  return !std::isfinite(figures.refinement.after.backward_error);
}

/// The note on what to try where x does not solve the system.
std::string note_on_residual(const TrustFigures& figures) {
  if (is_out_of_range(figures)) {
    return "x, or what its residual b - A x is made of, is beyond the range of double: scale b, or "
           "the rows and columns of A, nearer to 1";
  }
  std::vector<std::string> alternatives;
  if (figures.precision == Precision::float32) alternatives.push_back("solve.precision=double");
  if (is_krylov(figures.method)) {
    alternatives.push_back("a sparse method");
  } else {
    if (figures.method == Method::gauss_jordan) {
      alternatives.push_back(
          "solve.method=lu (gauss_jordan is less stable where U is "
          "ill-conditioned)");
    }
    add_most_stable(figures, alternatives);
  }
  return fmt::format("the backward error is above {:.0e}: x does not solve this system{}",
                     std::max(figures.asked, largest_trusted_error(figures.precision)),
                     advice(alternatives));
}

}  // namespace

double forward_bound(const Condition& condition, const Quality& quality) {
  // One of them may have overflowed, and says nothing then; not even times 0.
  const double in_norm = infinite_if_nan(2 * condition.normwise * quality.backward_error);
  return std::min(in_norm, infinite_if_nan(condition.componentwise * quality.componentwise_error));
}

int digits_if_rounded(double condition) {
  const double lost = std::ceil(std::log10(std::max(condition, 1.0)));
  return digits_of_double - static_cast<int>(std::min<double>(lost, digits_of_double));
}

Trust judge(const TrustFigures& figures) {
  Trust trust;
  trust.doubt = doubt_about(figures);
  trust.verdict = verdict_on(trust.doubt, figures);
  if (trust.doubt == Doubt::none) {
    if (is_measured(figures)) trust.estimate = estimate_of(figures);
    if (figures.condition) {
      trust.bound = bound_of(figures);
      trust.digits = digits_if_rounded(figures.condition->componentwise);
    }
  } else if (trust.doubt != Doubt::pivots && trust.doubt != Doubt::unmeasured) {
    trust.digits = 0;
  }
  // Causes come first.
  if (figures.pivots.growth > noteworthy_growth) {
    std::vector<std::string> alternatives;
    add_most_stable(figures, alternatives);
    trust.notes.push_back(
        fmt::format("entries grew by {:.0e} during elimination{}", figures.pivots.growth,
                    alternatives.empty() ? "" : fmt::format("; {} grows least", alternatives[0])));
  }
  if (std::string note = note_on(trust.doubt, figures);
      !note.empty() && !is_out_of_range(figures)) {
    trust.notes.push_back(std::move(note));
  }
  if (!has_small_residual(figures)) trust.notes.push_back(note_on_residual(figures));
  return trust;
}

std::string why_unknown(Doubt doubt) {
  switch (doubt) {
    case Doubt::singular:
      return "the matrix is singular to working precision";
    case Doubt::factors:
      return "the factors can't tell";
    case Doubt::null_space:
      return "A has null vectors that were not named";
    case Doubt::bound:
    case Doubt::correction:
      return "it may be as large as x";
    case Doubt::pivots:
      return "the matrix may be singular to working precision";
    case Doubt::unmeasured:
      return "nothing was estimated";
    case Doubt::none:
      break;
  }
  return "";
}

}  // namespace spsolve::solve
