#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/sparse/sparse_contender.hpp"

namespace spsolve::bench {

/// The ranks that take part in a peer's work.
struct PeerTeam {
  int threads = 1;         ///< of each rank
  bool all_ranks = false;  ///< all of the run's, or rank 0 alone
};

/// A direct solver for sparse systems from another house. Its library is loaded when it is first
/// asked for, by its headers where spbench was compiled; nothing is linked with it.
struct SparsePeer {
  std::string_view name;
  std::string_view sentence;  ///< what it is, for help
  bool over_ranks;            ///< whether it can share its work among ranks

  /// Why it cannot be called here, or "".
  std::string (*missing)();

  // What follows is null, and not called, where it is missing.

  /// Why it does not take that system, or "".
  std::string (*refuse)(const SparseSystem& system);

  /// Made for `system`. Collective where team.all_ranks.
  std::unique_ptr<SparseContender> (*make)(const SparseSystem& system, const PeerTeam& team);
};

/// All of them: cholmod, umfpack, mumps, pardiso, cudss, cudss_lu.
std::span<const SparsePeer> sparse_peers();

inline constexpr std::string_view cudss_sentence =
    "cuDSS of NVIDIA, on one GPU: LL^T, LDL^T or LU as the matrix allows";
inline constexpr std::string_view cudss_lu_sentence = "the same by LU, symmetric matrices, too";

// The rows of the table, each in its own file.
extern const SparsePeer cholmod_peer, umfpack_peer, mumps_peer, pardiso_peer, cudss_peer,
    cudss_lu_peer;

}  // namespace spsolve::bench
