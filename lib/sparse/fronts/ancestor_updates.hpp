#pragma once

#include <vector>

#include "sparse/fronts/front.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::inline sparse {

/// Updates that go from a front into the factors of all its ancestors at once, with no contribution
/// block on the way (right-looking, as in supernodal factorisations: Rothberg, Schreiber 1999): of
/// fronts whose block would be a large part of all memory. The ancestors' fronts have the entries
/// of A already. Tiles depend on the fronts alone, and no two write to the same entry.
template <typename T>
class AncestorUpdates {
 public:
  /// `offsets`: where the factors of each front begin in `factors`.
  AncestorUpdates(const Fronts& fronts, Factorization kind, T* factors,
                  const std::vector<Index>& offsets)
      : fronts_(fronts), kind_(kind), factors_(factors), offsets_(offsets) {}

  /// Takes L21 U12 of front s, or L21 D L21^T or L21 D L21^H, off its ancestors. `scratch`: as
  /// scratch_of_updates() has it, for all threads of `tiles`. Cost: flops of the border's block.
  void subtract_product(LocalIndex s, const Front<T>& front, const T* off_diagonal,
                        const Tiles& tiles, T* scratch) const;

  /// Adds the contribution block of front s to its ancestors. `scratch` likewise.
  void add_block(LocalIndex s, const T* block, const Tiles& tiles, T* scratch) const;

 private:
  /// Rows of a border that are pivots of one ancestor.
  struct Segment {
    LocalIndex front;
    Index begin, end;
  };
  /// Rows `begin` ... `end` of a border as columns of ancestors' fronts, in some segments.
  struct Strip {
    Index begin, end;
    std::size_t first_segment, last_segment;
  };
  /// Rows of a strip's columns: of `lower`, or as columns of U12^T of `upper`.
  struct Tile {
    const Strip* strip;
    Index begin, end;
    bool upper;
  };

  template <typename Fill>
  void over_tiles(LocalIndex s, const Tiles& tiles, Index scratch_size, T* scratch,
                  const Fill& fill) const;
  std::vector<Segment> segments_of(LocalIndex s) const;
  std::vector<Tile> tiles_of(const std::vector<Segment>& segments, const std::vector<Strip>& strips,
                             Index border) const;
  void scatter(LocalIndex s, const std::vector<Segment>& segments, const Tile& tile,
               const T* values) const;

  const Fronts& fronts_;
  Factorization kind_;
  T* factors_;
  const std::vector<Index>& offsets_;
};

/// Values of scratch for each thread that updates ancestors of a front of so many pivots; 0 pivots:
/// by a contribution block.
Index scratch_of_updates(Index pivots, Factorization kind);

}  // namespace spsolve::sparse
