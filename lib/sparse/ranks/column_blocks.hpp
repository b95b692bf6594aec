#pragma once

#include <algorithm>

#include "core/types.hpp"
#include "solve/operators/options.hpp"
#include "sparse/fronts/factorization.hpp"

namespace spsolve::inline sparse {

/// The rule by which ranks of a team share fronts: from where on they do a front column by column,
/// how wide its blocks are, and the nanoseconds that it takes in addition to its work, of messages,
/// and on GPUs of launches for each block.
struct SharingRule {
  bool on_gpus = false;
  double worth_sharing = 4e6;  ///< multiplications
  Index narrowest = 32, widest = 128, step = 16;
  double costs = 5e4;  ///< nanoseconds
  Index part = 256;    ///< on GPUs, columns of a block that travel together

  static constexpr SharingRule of(Factorization kind, MemoryKind memory) {
    if (memory == MemoryKind::gpu) return {true, 2e9, 128, 1024, 64, 1e6};
    SharingRule rule;
    if (has_d(kind)) rule.widest = 64;
    return rule;
  }
};

/// How the p + m columns of a front that several ranks eliminate are dealt out: blocks of pivots,
/// then blocks of the border, each of `width` columns but for the last of either, block b to rank
/// (start + b) mod ranks of the front's team; or all of them to rank `start`. On GPUs blocks are
/// wide, whole ones of pivot_block columns, and a block has the rows of U in addition to its
/// columns of L.
class ColumnBlocks {
 public:
  ColumnBlocks() = default;
  /// `number`: of the front, so that small ones are dealt out in turns.
  ColumnBlocks(const SharingRule& rule, Index pivots, Index border, int ranks, Index number)
      : pivots_(pivots), border_(border), ranks_(ranks), on_gpus_(rule.on_gpus) {
    const double p = static_cast<double>(pivots), height = static_cast<double>(pivots + border);
    start_ = static_cast<int>(number % ranks);
    shares_ = p * height * height >= rule.worth_sharing;
    if (shares_) {
      constexpr Index blocks_a_rank = 8;
      width_ = std::clamp((pivots + border) / (blocks_a_rank * ranks) / rule.step * rule.step,
                          rule.narrowest, rule.widest);
    } else {
      width_ = on_gpus_ ? std::max<Index>({pivots, border, 1}) : rule.widest;
    }
  }

  bool shares() const { return shares_; }
  Index pivots() const { return pivots_; }
  Index border() const { return border_; }
  Index height() const { return pivots_ + border_; }
  Index width() const { return width_; }

  Index pivot_blocks() const { return (pivots_ + width_ - 1) / width_; }
  Index size() const { return pivot_blocks() + (border_ + width_ - 1) / width_; }
  bool is_border(Index block) const { return block >= pivot_blocks(); }

  /// Columns begin ... end - 1 of the front, the border's from `pivots` on.
  Index begin(Index block) const {
    return is_border(block) ? pivots_ + (block - pivot_blocks()) * width_ : block * width_;
  }
  Index end(Index block) const {
    return std::min(begin(block) + width_, is_border(block) ? height() : pivots_);
  }
  Index block_of(Index column) const {
    return column < pivots_ ? column / width_ : pivot_blocks() + (column - pivots_) / width_;
  }
  /// In the front's team.
  int owner(Index block) const {
    return shares_ ? static_cast<int>((start_ + block) % ranks_) : start_;
  }
  /// The owner of an entry of the front.
  int owner_of_entry(Index row, Index column) const {
    return owner(block_of(on_gpus_ ? std::min(row, column) : column));
  }

 private:
  Index pivots_ = 0, border_ = 0, width_ = 1;
  int ranks_ = 1, start_ = 0;
  bool on_gpus_ = false, shares_ = true;
};

}  // namespace spsolve::sparse
