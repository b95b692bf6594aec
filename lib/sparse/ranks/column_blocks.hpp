#pragma once

#include <algorithm>

#include "core/types.hpp"
#include "sparse/fronts/factorization.hpp"

namespace spsolve {

/// How the p + m columns of a front that several ranks eliminate are dealt out: blocks of pivots,
/// then blocks of the border, each of `width` columns but for the last of either, block b to rank
/// (start + b) mod ranks of the front's team; or all of them to rank `start`.
class ColumnBlocks {
 public:
  ColumnBlocks() = default;
  /// `number`: of the front, so that small ones are dealt out in turns.
  ColumnBlocks(Factorization kind, Index pivots, Index border, int ranks, Index number)
      : pivots_(pivots), border_(border), ranks_(ranks) {
    const double p = static_cast<double>(pivots), height = static_cast<double>(pivots + border);
    constexpr double worth_sharing = 4e6;  // multiplications
    const Index narrowest = 32, widest = kind == Factorization::ldlt ? 64 : 128;
    start_ = static_cast<int>(number % ranks);
    if (p * height * height < worth_sharing) {
      shares_ = false;
      width_ = widest;
    } else {
      constexpr Index blocks_a_rank = 8;
      width_ = std::clamp((pivots + border) / (blocks_a_rank * ranks) / 16 * 16, narrowest, widest);
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

 private:
  Index pivots_ = 0, border_ = 0, width_ = 1;
  int ranks_ = 1, start_ = 0;
  bool shares_ = true;
};

}  // namespace spsolve
