#include "apps/bench/peers/peers.hpp"

namespace spsolve::bench {

std::span<const SparsePeer> sparse_peers() {
  static const SparsePeer table[] = {cholmod_peer,         umfpack_peer, mumps_peer,   pardiso_peer,
                                     pardiso_pattern_peer, cudss_peer,   cudss_lu_peer};
  return table;
}

std::span<const IterativePeer> iterative_peers() {
  static const IterativePeer table[] = {hypre_peer, petsc_peer};
  return table;
}

#ifndef SPSOLVE_HAVE_CUDA

namespace {

std::string no_gpus() {
  return "spbench was compiled without CUDA";
}

}  // namespace

const SparsePeer cudss_peer{"cudss", cudss_sentence, false, no_gpus, nullptr, nullptr};
const SparsePeer cudss_lu_peer{"cudss_lu", cudss_lu_sentence, false, no_gpus, nullptr, nullptr};

#endif

}  // namespace spsolve::bench
