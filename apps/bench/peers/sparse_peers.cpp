#include "apps/bench/peers/sparse_peers.hpp"

namespace spsolve::bench {

std::span<const SparsePeer> sparse_peers() {
  static const SparsePeer table[] = {cholmod_peer, umfpack_peer, mumps_peer, pardiso_peer};
  return table;
}

}  // namespace spsolve::bench
