#include "cuda/dense/row_swaps.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spsolve::cuda::inline dense {

namespace {

/// Groups of cycles that permute_rows() works on side by side.
constexpr int most_groups = 32;

}  // namespace

// Each swap touches two rows.
RowSwaps::RowSwaps(Index rows, Index most)
    : staging_(2 * most + most_groups),
      moves_(2 * most + most_groups),
      content_(static_cast<std::size_t>(rows)) {
  std::iota(content_.begin(), content_.end(), Index{0});
}

void RowSwaps::set(std::span<const RowSwap> swaps, const Stream& stream, Range lifted) {
  lifted_ = lifted;
  std::vector<Index> touched;
  for (const RowSwap& swap : swaps) {
    if (swap.one == swap.other) continue;
    std::swap(content_[swap.one], content_[swap.other]);
    touched.push_back(swap.one);
    touched.push_back(swap.other);
  }
  // The cycles of the permutation, one after another; content_ becomes the identity again.
  RowMove* const moves = staging_.data();
  int count = 0;
  int groups[most_groups + 1] = {0};
  group_count_ = 0;
  const auto most = static_cast<int>(touched.size()) + static_cast<int>(lifted.size());
  const int share = most / most_groups + 1;
  std::vector<bool> moves_lifted(static_cast<std::size_t>(lifted.size()));
  const auto add = [&](Index to, Index from, bool starts) {
    moves[count++] = {static_cast<int>(to), static_cast<int>(from), starts ? 1 : 0};
    if (lifted.contains(to)) moves_lifted[to - lifted.first] = true;
  };
  for (const Index start : touched) {
    if (content_[start] == start) continue;
    if (count >= share * (group_count_ + 1)) groups[++group_count_] = count;
    Index place = start;
    while (true) {
      const Index from = std::exchange(content_[place], place);
      const bool closes = from == start;
      add(place, closes ? -1 : from, place == start);
      if (closes) break;
      place = from;
    }
  }
  for (Index place = lifted.first; place < lifted.last; ++place) {
    if (moves_lifted[place - lifted.first]) continue;
    if (count >= share * (group_count_ + 1)) groups[++group_count_] = count;
    add(place, -1, true);
  }
  if (count == 0) return;
  groups[++group_count_] = count;
  std::copy(groups, groups + group_count_ + 1, reinterpret_cast<int*>(moves + count));
  groups_ = reinterpret_cast<const int*>(moves_.data() + count);
  CUDA_CHECK(cudaMemcpyAsync(moves_.data(), moves,
                             static_cast<std::size_t>(count) * sizeof(RowMove) + sizeof(groups),
                             cudaMemcpyHostToDevice, stream.get()));
}

}  // namespace spsolve::cuda::dense
