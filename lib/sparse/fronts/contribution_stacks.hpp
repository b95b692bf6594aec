#pragma once

#include <mutex>
#include <vector>

#include "core/untouched_array.hpp"
#include "sparse/fronts/factor_memory.hpp"

namespace spsolve::inline sparse {

/// The contribution blocks of the fronts of a schedule, each until its parent has taken it in.
/// Those of subtrees' roots and of fronts above have places (StackLayout); the others of a subtree
/// are on two stacks in an area that its lane books with the first of them. There is a lane for
/// each thread and one more for the fronts above all subtrees, with room for scratch each. Blocks
/// for other ranks, or from a checkpoint, have memory of their own. Keeps its memory from one
/// factorisation to the next.
template <typename T>
class ContributionStacks {
 public:
  ContributionStacks(const Fronts& fronts, Factorization kind, const Schedule& schedule)
      : fronts_(fronts), kind_(kind), schedule_(schedule), blocks_(fronts.size(), nullptr) {}

  /// Makes room for a factorisation; all blocks are gone. Throws std::bad_alloc.
  void begin();

  /// Room for the block of front s, which that lane eliminates, in the i-th subtree if in any; null
  /// where it updates its ancestors directly.
  T* push(LocalIndex s, int lane, std::size_t i);
  /// Front s has taken in the blocks of its children.
  void pop_children(LocalIndex s, int lane);
  /// The i-th subtree is done: others may have its area.
  void leave(std::size_t i, int lane);
  /// The block of a front, as BorderBlock has it.
  T* of(LocalIndex s) const { return blocks_[s]; }
  /// Whether there is a block of front s that was restored.
  bool is_restored(LocalIndex s) const {
    return !restored_.empty() && restored_[s].data() != nullptr;
  }
  T* scratch(int lane) { return lanes_[lane].scratch.data(); }

  /// Room for the block of front s as a checkpoint has it, before any front is begun.
  T* restore(LocalIndex s);
  /// Releases a block that was restored, or that is for others than these fronts.
  void release(LocalIndex s);

  /// Lets go of the stacks, which begin() makes again.
  void release_stacks();

 private:
  /// Scratch, and two stacks from the ends of one area, for blocks of fronts at even and at odd
  /// depth: where children lie on one and their parent on the other, both are last in, first out.
  struct Lane {
    explicit Lane(Index scratch_size) : scratch(scratch_size) {}

    UntouchedArray<T> scratch;
    T* area = nullptr;
    Index begin = 0, end = 0;
  };

  void book(Lane& lane, std::size_t i);
  Index size(LocalIndex s) const { return border_block(fronts_, s, kind_).size(); }

  const Fronts& fronts_;
  Factorization kind_;
  const Schedule& schedule_;
  StackLayout layout_;
  std::vector<Lane> lanes_;
  UntouchedArray<T> memory_;
  std::mutex mutex_;  // of what follows
  int round_ = -1;
  std::vector<T*> free_areas_;                 // of the round
  std::vector<UntouchedArray<T>> more_areas_;  // where a checkpoint's subtrees never had theirs
  std::vector<UntouchedArray<T>> for_others_;  // of roots with a border
  std::vector<UntouchedArray<T>> restored_;    // where a checkpoint had any
  std::vector<bool> off_stack_, odd_;          // odd_: the depth of a front
  std::vector<T*> blocks_;
};

}  // namespace spsolve::sparse
