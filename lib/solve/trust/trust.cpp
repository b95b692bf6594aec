#include "solve/trust/trust.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/extremes.hpp"

namespace spsolve {

namespace {

/// No digit of x is certain where its error may be as large.
constexpr double no_digit = 0.1;

/// From this condition on (half of the digits of double) a note counts the digits that are lost.
constexpr double noteworthy = 1e8;

/// Decimal digits of a double.
constexpr int digits_of_double = 16;

/// By components; factors in float can't tell more where they are not near.
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

/// What an iteration does not see of the error of x, and corrects no more than it did of a known
/// solution's. With near factors it sees all.
double unseen(const TrustFigures& figures) {
  const bool all = !figures.iterates || !figures.probe || near_factors(figures) ||
                   figures.probe->found_all(figures.order);
  return all ? 0.0 : figures.probe->left;
}

/// What corrections say of the error of x: the last one, and what it does not show. Beside a bound
/// it is what they let expect.
double estimate_of(const TrustFigures& figures) {
  const double beside = figures.condition ? 0.0 : unseen(figures);
  return figures.refinement.forward_error + figures.hidden + beside;
}

/// The same of the condition, where there is one. That of an iteration is too small where its
/// corrections are larger.
double bound_of(const TrustFigures& figures) {
  const double bound = forward_bound(*figures.condition, figures.refinement.after);
  const double correction = figures.refinement.forward_error;
  const bool counts = figures.iterates && std::isfinite(correction);
  return (counts ? std::max(bound, correction) : bound) + figures.hidden + unseen(figures);
}

Doubt doubt_about(const TrustFigures& figures) {
  const auto& condition = figures.condition;
  if (figures.probe && !figures.probe->found()) {
    return is_the_matrix(figures) ? Doubt::singular : Doubt::factors;
  }
  // What is small beside others vanishes in float, and so do corrections of it.
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

/// What loses the fewest digits, for people to try.
std::string most_stable(Method method) {
  return std::string("solve.method=gauss with solve.pivoting=complete") +
         (is_sparse(method) ? ", which makes A dense" : "");
}

/// What doubt, or a large condition, means for x; nothing where few digits are at stake.
std::string note_on(Doubt doubt, const TrustFigures& figures) {
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
      return fmt::format(
          "the {} to tell this matrix from a singular one ({}): none of the digits of x is "
          "certain; try {}",
          figures.has_pivots ? "elimination lost too many digits" : "iteration finds too little",
          evidence(figures), figures.has_pivots ? most_stable(figures.method) : "a sparse method");
    case Doubt::bound:
      if (figures.hidden >= no_digit) {
        return fmt::format(
            "the error of x may be as large as x itself ({:.0e} of it, which residuals are too "
            "small, or too inaccurate, to show): none of its digits is certain",
            figures.hidden);
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
    case Doubt::unmeasured:
      return fmt::format(
          "neither a condition number nor a correction of refinement tells how far x may be off: "
          "{}none of its digits is certain; solve.condition=true with solve.refinement=10 tells "
          "how "
          "many are",
          but);
    case Doubt::pivots:
    case Doubt::none:
      break;
  }
  if (!figures.condition && pivots_range_far(figures)) {
    return fmt::format(
        "pivots range over {:.0e}: the matrix is badly scaled, or singular to working precision; "
        "x may have few correct digits although its backward error is small{}",
        figures.pivots.largest_pivot / figures.pivots.smallest_pivot,
        doubt == Doubt::pivots ? "; solve.condition=true tells" : "");
  }
  const bool has_estimates = figures.condition || figures.probe || figures.has_pivots;
  if (!has_estimates && !figures.null_space && doubt == Doubt::none) {
    return "without solve.condition nothing tells whether the matrix is singular, and x one of "
           "many "
           "solutions";
  }
  if (!figures.condition || figures.condition->componentwise < noteworthy) return {};
  const double componentwise = figures.condition->componentwise;
  const int lost = static_cast<int>(std::ceil(std::log10(componentwise)));
  return fmt::format(
      "the system is ill-conditioned (condition number about {:.0e} by components): changes of A "
      "and b in their last digit change x by up to {:.0e} of its norm, so that about {} of its {} "
      "digits are lost unless A and b are exact",
      componentwise, componentwise * unit_roundoff, std::min(lost, digits_of_double),
      digits_of_double);
}

/// Whether numbers that x is judged by are not finite.
bool is_out_of_range(const TrustFigures& figures) {
  return !std::isfinite(figures.refinement.after.backward_error);
}

/// What to try where x does not solve the system.
std::string note_on_residual(const TrustFigures& figures) {
  if (is_out_of_range(figures)) {
    return "x, or what its residual b - A x is made of, is beyond the range of double: scale b, or "
           "the rows and columns of A, nearer to 1";
  }
  return fmt::format(
      "the backward error is above {:.0e}: x does not solve this system; try {}{}{}",
      std::max(figures.asked, largest_trusted_error(figures.precision)),
      is_krylov(figures.method) ? "a sparse method, or "
      : figures.method == Method::gauss_jordan
          ? "solve.method=lu (gauss_jordan is less stable where U is ill-conditioned) or "
          : "",
      most_stable(figures.method),
      figures.precision == Precision::float32 ? ", or solve.precision=double" : "");
}

}  // namespace

double forward_bound(const Condition& condition, const Quality& quality) {
  // One of them may have overflowed, and says nothing then; not even times 0.
  const double in_norm = infinite_if_nan(2 * condition.normwise * quality.backward_error);
  return std::min(in_norm, infinite_if_nan(condition.componentwise * quality.componentwise_error));
}

Trust judge(const TrustFigures& figures) {
  Trust trust;
  trust.doubt = doubt_about(figures);
  trust.verdict = verdict_on(trust.doubt, figures);
  if (trust.doubt == Doubt::none) {
    trust.estimate = estimate_of(figures);
    if (figures.condition) {
      trust.bound = bound_of(figures);
      const double lost = std::log10(std::max(figures.condition->componentwise, 1.0));
      trust.digits = std::max(0, digits_of_double - static_cast<int>(std::ceil(lost)));
    }
  } else if (trust.doubt != Doubt::pivots && trust.doubt != Doubt::unmeasured) {
    trust.digits = 0;
  }
  if (!has_small_residual(figures)) trust.notes.push_back(note_on_residual(figures));
  if (std::string note = note_on(trust.doubt, figures);
      !note.empty() && !is_out_of_range(figures)) {
    trust.notes.push_back(std::move(note));
  }
  if (figures.pivots.growth > noteworthy_growth) {
    trust.notes.push_back(
        fmt::format("entries grew by {:.0e} during elimination; "
                    "solve.method=gauss with solve.pivoting=complete grows least",
                    figures.pivots.growth));
  }
  return trust;
}

std::string why_unknown(Doubt doubt) {
  switch (doubt) {
    case Doubt::singular:
      return "the matrix is singular to working precision";
    case Doubt::factors:
      return "the factors can't tell";
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

}  // namespace spsolve
