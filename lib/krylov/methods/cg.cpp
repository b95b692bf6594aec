#include <optional>

#include "krylov/methods/krylov_method.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// Numbers that steps leave, a row for each; r^T z of one step and of the next one take turns.
enum Row : int { curvature, largest, even_rho, odd_rho, rows_in_all };

constexpr int rho_of(Index step) {
  return step % 2 == 0 ? even_rho : odd_rho;
}

/// The trouble with the running columns of a row that must be positive.
std::optional<KrylovEnd> trouble(const Dense<double>& numbers, int row, KrylovEnd where_negative,
                                 const StoppingCriterion& criterion) {
  for (std::size_t c = 0; c < criterion.columns(); ++c) {
    const double value = numbers(row, static_cast<Index>(c));
    if (criterion.done(c)) continue;
    if (!std::isfinite(value)) return KrylovEnd::breakdown;
    if (!(value > 0)) return where_negative;
  }
  return std::nullopt;
}

}  // namespace

KrylovEnd iterate_cg(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                     Vectors& r) {
  const std::unique_ptr<Coefficients> numbers = r.coefficients(rows_in_all);
  const std::unique_ptr<Vectors> work = r.similar(r.columns()), p = r.similar(r.columns());
  Columns wanted(criterion.columns(), 1.0);
  // z = M^-1 r, and q = A p: where both are wanted, one is not needed until the other is done with.
  const bool plain = system.preconditioner.is_identity();
  Vectors &z = plain ? r : *work, &q = *work;
  CheckpointedRecurrence checkpointed(criterion, r,
                                      [&](IterationState& state) { state.vectors(*p); });
  if (plain) {
    dots(r, r, {*numbers, even_rho});  // later subtract() has r^T r
  } else {
    system.preconditioner.apply_and_dot(r, z, {*numbers, even_rho});
  }
  if (!checkpointed.goes_on()) copy(z, *p);
  Index looked_at = 0;  // steps whose numbers the host has seen; it may be some steps late
  const auto look = [&]() -> std::optional<KrylovEnd> {
    const Dense<double> seen = numbers->take();
    const auto unfit = trouble(seen, rho_of(looked_at), KrylovEnd::unfit, criterion);
    if (unfit) return unfit;
    const auto indefinite = trouble(seen, curvature, KrylovEnd::indefinite, criterion);
    if (indefinite) return indefinite;
    ++looked_at;
    const Columns of_r(seen.row(largest), seen.row(largest) + seen.columns);
    if (criterion.enough(of_r, x))
      return criterion.all_done() ? KrylovEnd::reached : KrylovEnd::limit;
    return std::nullopt;
  };
  for (Index step = 0;; ++step) {
    for (std::size_t c = 0; c < wanted.size(); ++c) wanted[c] = criterion.done(c) ? 0.0 : 1.0;
    system.matrix.apply_and_dot(*p, q, {*numbers, curvature});
    const ToRow next_rho{*numbers, rho_of(step + 1)};
    const Quotient alpha{rho_of(step), curvature}, beta{rho_of(step + 1), rho_of(step)};
    subtract(wanted, alpha, r, q, {*numbers, largest}, plain ? &next_rho : nullptr);
    numbers->send();
    std::optional<KrylovEnd> end;
    if (step - looked_at >= numbers->lead()) end = look();
    if (!plain && !end) system.preconditioner.apply_and_dot(r, z, next_rho);
    // x is a step late compared with r until here: with p, of which nothing is wanted after an end,
    // that is one pass less over the vectors.
    p->step_and_turn(wanted, *numbers, alpha, x, beta, z);
    if (end) return *end;
    checkpointed.may_save([&] {
      while (!end && looked_at <= step) end = look();
      return !end;
    });
    if (end) return *end;
  }
}

}  // namespace spsolve::krylov
