#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "apps/bench/sparse/solvers.hpp"
#include "core/error.hpp"
#include "core/names/did_you_mean.hpp"
#include "team/team.hpp"

namespace spsolve::bench {

/// The ranks that take part in a peer's work: all of `team`, or this process alone.
struct PeerTeam {
  Team& team;
  int threads = 1;         ///< of each rank
  bool all_ranks = false;  ///< all of the run's, or rank 0 alone
};

/// A solver of sparse systems from another house. Its library is loaded when it is first asked for,
/// by its headers where spbench was compiled; nothing is linked with it.
template <typename System, typename Solver>
struct Peer {
  std::string_view name;
  std::string_view sentence;  ///< what it is, for help
  bool over_ranks;            ///< whether it can share its work among ranks

  /// Why it cannot be called here, or "".
  std::string (*missing)();

  // Null, and not called, where it is missing:

  /// Why it does not take that system, or "".
  std::string (*refuse)(const System& system);

  /// Made for `system`. Collective where team.all_ranks.
  std::unique_ptr<Solver> (*make)(const System& system, const PeerTeam& team);

  /// made, or Error with the reason why there is none.
  std::unique_ptr<Solver> made_for(const System& system, const PeerTeam& team) const {
    together(team.team, [&] {
      std::string why = missing();
      if (!why.empty()) fail(ExitCode::resources, "{}", why);
      why = refuse(system);
      if (!why.empty()) fail(ExitCode::input, "{}", why);
    });
    return make(system, team);
  }
};

template <typename System>
std::string takes_all_systems(const System&) {
  return "";
}

template <typename System>
std::string takes_real_systems(const System& system) {
  return system.parts == 1 ? "" : "it is called for real matrices, and this one is complex";
}

using SparsePeer = Peer<SparseSystem, SparseContender>;
using IterativePeer = Peer<IterativeSystem, IterativeContender>;

/// Direct solvers: cholmod, umfpack, mumps, pardiso, pardiso_pattern, cudss, cudss_lu.
std::span<const SparsePeer> sparse_peers();

/// Krylov methods with preconditioners, one thread a rank: hypre, petsc.
std::span<const IterativePeer> iterative_peers();

inline constexpr std::string_view cudss_sentence =
    "cuDSS of NVIDIA, on one GPU: LL^T, LDL^T or LU as the matrix allows";
inline constexpr std::string_view cudss_lu_sentence = "the same by LU, symmetric matrices, too";

// The rows of the tables, each in its own file.
extern const SparsePeer cholmod_peer, umfpack_peer, mumps_peer, pardiso_peer, pardiso_pattern_peer,
    cudss_peer, cudss_lu_peer;
extern const IterativePeer hypre_peer, petsc_peer;

/// The peers of a table that these words name; "all" is every one that is here, "none" none.
/// Error(input) with a "did you mean" where there is no such peer.
template <typename Row>
std::vector<const Row*> peers_of(std::span<const Row> table,
                                 const std::vector<std::string>& words) {
  std::vector<const Row*> peers;
  std::vector<std::string_view> names;
  for (const Row& peer : table) names.push_back(peer.name);
  const auto take = [&](const Row& peer) {
    if (std::ranges::count(peers, &peer) == 0) peers.push_back(&peer);
  };
  for (const std::string& word : words) {
    if (word == "none") continue;
    if (word == "all") {
      for (const Row& peer : table) {
        if (peer.missing().empty()) take(peer);
      }
      continue;
    }
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) {
      fail(ExitCode::input, "there is no peer '{}'; all and {} are known{}", word,
           fmt::join(names, ", "), did_you_mean(word, names));
    }
    take(table[static_cast<std::size_t>(found - names.begin())]);
  }
  return peers;
}

/// Peers and what they are, a line each, with the reason where one is not here.
template <typename Row>
std::string help_of_peers(std::span<const Row> table) {
  std::string text = "Peers:\n";
  for (const Row& peer : table) {
    const std::string missing = peer.missing();
    text += fmt::format("  {:<16}{}{}\n", peer.name, peer.sentence,
                        missing.empty() ? "" : "; not here: " + missing);
  }
  return text;
}

/// The peers that "all" among the words does not mean, a line each.
template <typename Row>
std::string peers_left_out(std::span<const Row> table, const std::vector<std::string>& words) {
  std::string text;
  if (std::ranges::count(words, "all") == 0) return text;
  for (const Row& peer : table) {
    if (const std::string missing = peer.missing(); !missing.empty()) {
      text += fmt::format("not here: {}: {}\n", peer.name, missing);
    }
  }
  return text;
}

}  // namespace spsolve::bench
