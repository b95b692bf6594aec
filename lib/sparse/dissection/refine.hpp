#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "sparse/dissection/arena.hpp"
#include "sparse/dissection/part.hpp"

namespace spsolve::inline sparse::dissection {

/// The quality of a separator: the smaller the better.
struct Cost {
  Index excess = 0;      ///< weight of the heavier side beyond what is balanced
  Index separator = 0;   ///< its weight
  Index difference = 0;  ///< of the weights of the sides

  auto operator<=>(const Cost&) const = default;
};

/// Moves single vertices of separators, those of the most gain first (Fiduccia and Mattheyses 1982;
/// for vertex separators Ashcraft and Liu 1998): a vertex goes from the separator to one side, and
/// its neighbours on the other side come into the separator.
class Refiner {
 public:
  /// Begins with the graph to be dissected now; side[v] is 0, 1 or 2. Cost: O(size).
  void begin(const GraphPart& graph, std::span<std::uint8_t> side, std::span<LocalIndex> gains);

  /// The separator of the least cost on the way of a part that grows from `seed` until it holds
  /// about half of the weight. Before, all is on the right side.
  void grow(LocalIndex seed);

  /// Passes to and fro until they gain nothing. patience: moves without gain before a pass ends.
  void improve(int passes, Index patience);

  Cost cost() const { return cost_of(weights_); }

 private:
  struct Entry {
    LocalIndex vertex;
    LocalIndex next;
  };
  static constexpr LocalIndex none = -1;

  Cost cost_of(const Index (&weights)[3]) const;
  bool pass(std::uint8_t to, Index patience);

  GraphPart graph_;
  std::span<std::uint8_t> side_;
  std::span<LocalIndex> gains_;  ///< of vertices in the separator, towards the side of this pass
  Index weights_[3] = {};
  Index limit_ = 0;  ///< a side that weighs more isn't balanced
  int shift_ = 0;
  std::vector<LocalIndex> heads_;
  std::vector<Entry> entries_;
  std::vector<LocalIndex> separator_;
  std::vector<LocalIndex> moves_;  ///< v: from the separator; ~v: into it
};

}  // namespace spsolve::sparse::dissection
