#include "krylov/columns.hpp"
#include "krylov/krylov_method.hpp"

namespace spsolve {

KrylovEnd iterate_cg(const KrylovSystem& system, KrylovWatch& watch, Vectors& x, Vectors& r) {
  const std::size_t columns = watch.columns();
  const auto running = [&](std::size_t c) { return !watch.done(c); };
  std::unique_ptr<Vectors> z = r.similar(r.columns());
  const std::unique_ptr<Vectors> p = r.similar(r.columns());
  system.preconditioner.apply(r, *z);
  copy(*z, *p);
  Columns rho = dots(r, *z);
  const Columns ones(columns, 1.0);
  while (true) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (!running(c)) continue;
      if (!std::isfinite(rho[c])) return KrylovEnd::breakdown;
      if (!(rho[c] > 0)) return KrylovEnd::unfit;
    }
    Vectors& q = *z;  // A p; z is not needed until the next step
    system.matrix.apply(*p, q);
    const Columns curvature = dots(*p, q);
    for (std::size_t c = 0; c < columns; ++c) {
      if (!running(c)) continue;
      if (!std::isfinite(curvature[c])) return KrylovEnd::breakdown;
      if (!(curvature[c] > 0)) return KrylovEnd::indefinite;
    }
    const Columns alpha = quotients(rho, curvature, running);
    x.add_multiples(alpha, *p);
    r.add_multiples(negated(alpha), q);
    if (watch.enough(maxima(r), x)) {
      return watch.all_done() ? KrylovEnd::reached : KrylovEnd::limit;
    }
    system.preconditioner.apply(r, *z);
    Columns next = dots(r, *z);
    p->combine(quotients(next, rho, running), ones, *z);
    rho = std::move(next);
  }
}

}  // namespace spsolve
