#include "apps/bench/peers/sparse_peers.hpp"

#include "core/error.hpp"

namespace spsolve::bench {

std::span<const SparsePeer> sparse_peers() {
  static const SparsePeer table[] = {cholmod_peer, umfpack_peer, mumps_peer,
                                     pardiso_peer, cudss_peer,   cudss_lu_peer};
  return table;
}

#ifndef SPSOLVE_HAVE_CUDA

namespace {

std::string no_gpus() {
  return "spbench was compiled without CUDA";
}

std::string takes_all(const SparseSystem&) {
  return "";
}

std::unique_ptr<SparseContender> make_none(const SparseSystem&, const PeerTeam&) {
  fail(ExitCode::internal, "{}", no_gpus());
}

}  // namespace

const SparsePeer cudss_peer{"cudss", cudss_sentence, false, no_gpus, takes_all, make_none};
const SparsePeer cudss_lu_peer{"cudss_lu", cudss_lu_sentence, false, no_gpus, takes_all, make_none};

#endif

}  // namespace spsolve::bench
