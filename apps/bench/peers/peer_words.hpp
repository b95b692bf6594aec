#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "core/did_you_mean.hpp"
#include "core/error.hpp"

namespace spsolve::bench {

// Tables of peers by their words: rows with a `name`, a `sentence`, and missing(), why one cannot
// be called here, or "".

/// The peers of these words; "all" is every one that is here. Error(input) with a "did you mean"
/// where there is no such peer.
template <typename Peer>
std::vector<const Peer*> peers_of(std::span<const Peer> table,
                                  const std::vector<std::string>& words) {
  std::vector<const Peer*> peers;
  std::vector<std::string_view> names;
  for (const Peer& peer : table) names.push_back(peer.name);
  const auto take = [&](const Peer& peer) {
    if (std::find(peers.begin(), peers.end(), &peer) == peers.end()) peers.push_back(&peer);
  };
  for (const std::string& word : words) {
    if (word == "all") {
      for (const Peer& peer : table) {
        if (peer.missing().empty()) take(peer);
      }
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      fail(ExitCode::input, "there is no peer '{}'; all and {} are known{}", word,
           fmt::join(names, ", "), did_you_mean(word, names));
    }
    take(table[static_cast<std::size_t>(found - names.begin())]);
  }
  return peers;
}

/// Peers and what they are, a line each, with the reason where one is not here.
template <typename Peer>
std::string help_of_peers(std::span<const Peer> table) {
  std::string text = "Peers:\n";
  for (const Peer& peer : table) {
    const std::string missing = peer.missing();
    text += fmt::format("  {:<10}{}{}\n", peer.name, peer.sentence,
                        missing.empty() ? "" : "; not here: " + missing);
  }
  return text;
}

/// The peers that "all" among the words does not mean, a line each.
template <typename Peer>
std::string peers_left_out(std::span<const Peer> table, const std::vector<std::string>& words) {
  std::string text;
  if (std::find(words.begin(), words.end(), "all") == words.end()) return text;
  for (const Peer& peer : table) {
    if (const std::string missing = peer.missing(); !missing.empty()) {
      text += fmt::format("not here: {}: {}\n", peer.name, missing);
    }
  }
  return text;
}

}  // namespace spsolve::bench
