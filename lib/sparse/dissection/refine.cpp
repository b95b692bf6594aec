#include "sparse/dissection/refine.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "sparse/dissection/blocks.hpp"

namespace spsolve::inline sparse::dissection {
namespace {

constexpr int finest_gain = 32;  // buckets for the gains from 0 to the heaviest vertex's
constexpr int worst_gain = 4 * finest_gain;  // what loses more shares a bucket
constexpr int buckets = worst_gain + 2 * finest_gain + 1;
constexpr double balance = 0.6;  // no side should have more of all weight

}  // namespace

void Refiner::begin(const GraphPart& graph, std::span<std::uint8_t> side,
                    std::span<LocalIndex> gains) {
  graph_ = graph;
  side_ = side;
  gains_ = gains;
  std::fill(std::begin(weights_), std::end(weights_), 0);
  separator_.clear();
  struct Found {
    Index weights[3] = {};
    LocalIndex heaviest = 1;
    std::vector<LocalIndex> separator;
  };
  const Blocks blocks(graph);
  std::vector<Found> found(blocks.count());
  blocks.each([&](int block, LocalIndex first, LocalIndex end) {
    Found own;
    for (LocalIndex v = first; v < end; ++v) {
      own.weights[side[v]] += graph.weights[v];
      own.heaviest = std::max(own.heaviest, graph.weights[v]);
      if (side[v] == separator) own.separator.push_back(v);
    }
    found[block] = std::move(own);
  });
  LocalIndex heaviest = 1;
  for (const Found& of : found) {
    for (int k = 0; k < 3; ++k) weights_[k] += of.weights[k];
    heaviest = std::max(heaviest, of.heaviest);
    separator_.insert(separator_.end(), of.separator.begin(), of.separator.end());
  }
  limit_ = static_cast<Index>(balance * static_cast<double>(graph.weight));
  shift_ = std::max(0, static_cast<int>(std::bit_width(static_cast<unsigned>(heaviest))) -
                           static_cast<int>(std::bit_width(unsigned{finest_gain})));
  heads_.resize(buckets);
}

Cost Refiner::cost_of(const Index (&weights)[3]) const {
  return {std::max<Index>(0, std::max(weights[left], weights[right]) - limit_), weights[separator],
          std::abs(weights[left] - weights[right])};
}

bool Refiner::pass(std::uint8_t to, Index patience) {
  // In local variables, as writes to side could change members for all that the compiler knows.
  const GraphPart graph = graph_;
  std::uint8_t* const side = side_.data();
  LocalIndex* const gains = gains_.data();
  LocalIndex* const heads = heads_.data();
  const int shift = shift_;
  const std::uint8_t other = to ^ 1;
  int top = 0;
  std::fill(heads_.begin(), heads_.end(), none);
  entries_.clear();
  moves_.clear();

  const auto bucket_of = [shift](LocalIndex gain) {
    return std::clamp((gain >> shift) + worst_gain, 0, buckets - 1);
  };
  const auto push = [&](LocalIndex v, int bucket) {
    entries_.push_back({v, heads[bucket]});
    heads[bucket] = static_cast<LocalIndex>(entries_.size()) - 1;
    top = std::max(top, bucket);
  };
  // The vertex of the most gain, the last to come first. Gains only grow within a pass, and an
  // entry whose vertex has another bucket by now is an old one.
  const auto pop = [&] {
    for (; top >= 0; --top) {
      while (heads[top] != none) {
        const Entry entry = entries_[heads[top]];
        heads[top] = entry.next;
        if (side[entry.vertex] == separator && bucket_of(gains[entry.vertex]) == top)
          return entry.vertex;
      }
    }
    return none;
  };
  // The gain of v, where its neighbours in the separator aren't told.
  for (const LocalIndex v : separator_) {
    LocalIndex gain = graph.weights[v];
    for (Index k = graph.starts[v]; k < graph.starts[v + 1]; ++k) {
      const LocalIndex u = graph.neighbours[k];
      if (side[u] == other) gain -= graph.weights[u];
    }
    gains[v] = gain;
    push(v, bucket_of(gain));
  }

  Index weights[3] = {weights_[left], weights_[right], weights_[separator]};
  const Cost before = cost_of(weights);
  Cost best = before;
  std::size_t best_moves = 0;
  std::size_t best_separator = separator_.size();
  Index since_best = 0;
  for (LocalIndex v; (v = pop()) != none;) {
    if (weights[to] + graph.weights[v] > limit_) continue;
    side[v] = to;
    weights[to] += graph.weights[v];
    weights[separator] -= graph.weights[v];
    moves_.push_back(v);
    for (Index k = graph.starts[v]; k < graph.starts[v + 1]; ++k) {
      const LocalIndex u = graph.neighbours[k];
      if (side[u] != other) continue;
      const LocalIndex weight = graph.weights[u];
      side[u] = separator;
      weights[other] -= weight;
      weights[separator] += weight;
      moves_.push_back(~u);
      separator_.push_back(u);
      LocalIndex gain = weight;
      for (Index j = graph.starts[u]; j < graph.starts[u + 1]; ++j) {
        const LocalIndex x = graph.neighbours[j];
        if (side[x] == other) {
          gain -= graph.weights[x];
        } else if (side[x] == separator) {
          const int bucket = bucket_of(gains[x]);
          gains[x] += weight;
          const int now = bucket_of(gains[x]);
          if (now != bucket) push(x, now);
        }
      }
      gains[u] = gain;
      push(u, bucket_of(gain));
    }
    const Cost now = cost_of(weights);
    if (now < best) {
      best = now;
      best_moves = moves_.size();
      best_separator = separator_.size();
      since_best = 0;
    } else if (++since_best > patience) {
      break;
    }
  }
  // Back to the best.
  while (moves_.size() > best_moves) {
    const LocalIndex move = moves_.back();
    moves_.pop_back();
    const LocalIndex v = move < 0 ? ~move : move;
    const std::uint8_t back = move < 0 ? other : static_cast<std::uint8_t>(separator);
    weights[side[v]] -= graph.weights[v];
    weights[back] += graph.weights[v];
    side[v] = back;
  }
  std::copy(std::begin(weights), std::end(weights), std::begin(weights_));
  separator_.resize(best_separator);
  std::erase_if(separator_, [&](LocalIndex v) { return side[v] != separator; });
  return best < before;
}

void Refiner::grow(LocalIndex seed) {
  // A part that has no more neighbours goes on elsewhere.
  for (LocalIndex tried = 0; tried < graph_.size && cost().excess > 0; ++tried) {
    if (side_[seed] == right) {
      side_[seed] = separator;
      weights_[right] -= graph_.weights[seed];
      weights_[separator] += graph_.weights[seed];
      separator_.push_back(seed);
      pass(left, graph_.size);
    }
    seed = seed + 1 == graph_.size ? 0 : seed + 1;
  }
}

void Refiner::improve(int passes, Index patience) {
  auto to = static_cast<std::uint8_t>(weights_[left] < weights_[right] ? left : right);
  int idle = 0;
  for (int k = 0; k < passes && idle < 2; ++k, to ^= 1) idle = pass(to, patience) ? 0 : idle + 1;
}

}  // namespace spsolve::sparse::dissection
