#include "apps/bench/peers/iterative_peers.hpp"

namespace spsolve::bench {

std::span<const IterativePeer> iterative_peers() {
  static const IterativePeer table[] = {hypre_peer, petsc_peer};
  return table;
}

}  // namespace spsolve::bench
