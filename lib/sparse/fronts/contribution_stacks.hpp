#pragma once

#include <vector>

#include "core/untouched_array.hpp"
#include "sparse/fronts/factor_memory.hpp"

namespace spsolve::inline sparse {

/// The contribution blocks of the fronts of a schedule, each until its parent has taken it in. Its
/// lanes, one for each thread and one more for the fronts above all subtrees, have two stacks and
/// room for scratch each; blocks that go from lane to lane, to other ranks, or came from a
/// checkpoint, have places of their own. Keeps its memory from one factorisation to the next.
template <typename T>
class ContributionStacks {
 public:
  ContributionStacks(const Fronts& fronts, Factorization kind, const Schedule& schedule)
      : fronts_(fronts), kind_(kind), schedule_(schedule), blocks_(fronts.size(), nullptr) {}

  /// Makes room for a factorisation; all blocks are gone. Throws std::bad_alloc.
  void begin();

  /// Room for the block of front s, which that lane eliminates.
  T* push(LocalIndex s, int lane);
  /// Front s has taken in the blocks of its children.
  void pop_children(LocalIndex s, int lane);
  /// The block of a front, as BorderBlock has it.
  T* of(LocalIndex s) const { return blocks_[s]; }
  T* scratch(int lane) { return lanes_[lane].scratch.data(); }

  /// Room for the block of front s as a checkpoint has it, before any front is begun.
  T* restore(LocalIndex s);
  /// Releases a block that was restored, or that is for others than these fronts.
  void release(LocalIndex s);

  /// Lets go of the stacks, which begin() makes again.
  void release_stacks();

 private:
  /// Two stacks from the ends of one array, for blocks of fronts at even and at odd depth: where
  /// children lie on one and their parent on the other, both are last in, first out.
  struct Lane {
    Lane(Index size, Index scratch_size) : memory(size), scratch(scratch_size), end(size) {}

    UntouchedArray<T> memory, scratch;
    Index begin = 0, end;
  };

  Index size(LocalIndex s) const { return border_block(fronts_, s, kind_).size(); }

  const Fronts& fronts_;
  Factorization kind_;
  const Schedule& schedule_;
  std::vector<Lane> lanes_;
  UntouchedArray<T> of_subtrees_;
  std::vector<UntouchedArray<T>> for_others_;  // of roots with a border
  std::vector<UntouchedArray<T>> restored_;    // where a checkpoint had any
  std::vector<bool> off_stack_, odd_;          // odd_: the depth of a front
  std::vector<T*> blocks_;
};

}  // namespace spsolve::sparse
