#include "krylov/methods/krylov_method.hpp"
#include "solve/gmres.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

KrylovEnd iterate_gmres(const KrylovSystem& system, StoppingCriterion& criterion, Vectors& x,
                        Vectors& r) {
  // A cycle needs x alone.
  CheckpointedIteration* const checkpointed = criterion.goal().checkpointed;
  if (checkpointed != nullptr && checkpointed->is_wanted()) checkpointed->save_checkpoint();
  const std::size_t columns = criterion.columns();
  // A cycle goes by Euclidean norms, the watch by maxima: the two are taken to shrink alike until a
  // residual seems small enough.
  const Columns length = norms(r), largest = maxima(r);
  Columns target(columns), ratio(columns);
  std::vector<bool> running(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    ratio[c] = largest[c] > 0 ? length[c] / largest[c] : 1.0;
    if (!std::isfinite(ratio[c])) return KrylovEnd::breakdown;
    running[c] = !criterion.done(c);
    // The cycle itself leaves columns alone that are far below what is wanted, as x is known so
    // far.
    constexpr double far = 1.0 / 16;
    target[c] =
        running[c] ? far * criterion.target(c) * ratio[c] : std::numeric_limits<double>::infinity();
  }
  const auto most = std::min(system.restart, criterion.goal().most_steps - criterion.steps());
  Index steps = 0;
  const auto look = [&](const GmresStep& now) {
    const auto small_enough = [&](double times) {
      for (std::size_t c = 0; c < columns; ++c) {
        if (running[c] && now.norms[c] / ratio[c] > times * criterion.target(c)) return false;
      }
      return true;
    };
    // How large x is says what is enough: after 1, 2, 4, 8, 16, 24, .. steps, and where it matters.
    constexpr double near = 8;
    ++steps;
    if ((steps < 8 && (steps & (steps - 1)) == 0) || steps % 8 == 0 || small_enough(near)) {
      Vectors& trial = now.correction();
      add_multiple(1, x, trial);
      criterion.learn(trial);
    }
    if (small_enough(1)) {
      const Columns maximum = maxima(now.residual());
      for (std::size_t c = 0; c < columns; ++c) {
        if (maximum[c] > 0 && now.norms[c] > 0) ratio[c] = now.norms[c] / maximum[c];
      }
    }
    Columns of_r(columns);
    for (std::size_t c = 0; c < columns; ++c) of_r[c] = now.norms[c] / ratio[c];
    return criterion.enough(of_r);
  };
  const auto cycle = system.complex ? gmres_cycle<std::complex<double>> : gmres_cycle<double>;
  cycle(system.matrix, system.preconditioner, target, static_cast<int>(most), r, look);
  add_multiple(1, r, x);
  if (criterion.all_done()) return KrylovEnd::reached;
  return criterion.must_stop() ? KrylovEnd::limit : KrylovEnd::cycle;
}

}  // namespace spsolve::krylov
