#include "krylov/methods/krylov_method.hpp"
#include "solve/gmres.hpp"
#include "vectors/columns.hpp"

namespace spsolve {

KrylovEnd iterate_gmres(const KrylovSystem& system, KrylovWatch& watch, Vectors& x, Vectors& r) {
  // A cycle needs x alone.
  KeptIteration* const kept = watch.goal().kept;
  if (kept != nullptr && kept->is_wanted()) kept->keep();
  const std::size_t columns = watch.columns();
  // A cycle goes by Euclidean norms, the watch by maxima: the two are taken to shrink alike.
  const Columns length = norms(r), largest = maxima(r);
  Columns target(columns), ratio(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    ratio[c] = largest[c] > 0 ? length[c] / largest[c] : 1.0;
    if (!std::isfinite(ratio[c])) return KrylovEnd::breakdown;
    target[c] =
        watch.done(c) ? std::numeric_limits<double>::infinity() : watch.target(c) * ratio[c];
  }
  const auto most = std::min(system.restart, watch.goal().most_steps - watch.steps());
  const auto look = [&](const Columns& now) {
    Columns of_r(columns);
    for (std::size_t c = 0; c < columns; ++c) of_r[c] = now[c] / ratio[c];
    return watch.enough(of_r);
  };
  gmres_cycle(system.matrix, system.preconditioner, target, static_cast<int>(most), r, look);
  add_multiple(1, r, x);
  if (watch.all_done()) return KrylovEnd::reached;
  return watch.must_stop() ? KrylovEnd::limit : KrylovEnd::cycle;
}

}  // namespace spsolve
