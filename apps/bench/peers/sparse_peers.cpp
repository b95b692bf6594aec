#include "apps/bench/peers/sparse_peers.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/did_you_mean.hpp"
#include "core/error.hpp"

namespace spsolve::bench {

std::span<const SparsePeer> sparse_peers() {
  static const SparsePeer table[] = {cholmod_peer, umfpack_peer, mumps_peer, pardiso_peer};
  return table;
}

std::vector<const SparsePeer*> sparse_peers_of(const std::vector<std::string>& words) {
  std::vector<const SparsePeer*> peers;
  std::vector<std::string_view> names;
  for (const SparsePeer& peer : sparse_peers()) names.push_back(peer.name);
  const auto take = [&](const SparsePeer& peer) {
    if (std::ranges::find(peers, &peer) == peers.end()) peers.push_back(&peer);
  };
  for (const std::string& word : words) {
    if (word == "all") {
      for (const SparsePeer& peer : sparse_peers()) {
        if (peer.missing().empty()) take(peer);
      }
      continue;
    }
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) {
      fail(ExitCode::input, "there is no peer '{}'; all and {} are known{}", word,
           fmt::join(names, ", "), did_you_mean(word, names));
    }
    take(sparse_peers()[static_cast<std::size_t>(found - names.begin())]);
  }
  return peers;
}

}  // namespace spsolve::bench
