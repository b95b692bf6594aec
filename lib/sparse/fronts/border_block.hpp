#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace spsolve::inline sparse {

/// Where the entries of the m x m contribution block of a front lie. For symmetric matrices the
/// lower triangle is kept, in panels of columns: a panel holds its rows from its first column on,
/// column by column, so that little more than half of the square is there and products still have
/// whole blocks to write to.
class BorderBlock {
 public:
  BorderBlock(Index m, bool symmetric) : m_(m), width_(symmetric ? panel_width(m) : m) {}

  /// Columns of a panel, but for the last one.
  Index width() const { return width_; }

  /// Entries of all panels.
  Index size() const {
    if (m_ == 0) return 0;
    const Index last = (m_ - 1) / width_ * width_;
    return begin_of(last) + (m_ - last) * (m_ - last);
  }

  /// Entry (row, column), row >= the first column of the panel, is at column_start(column) + row.
  Index column_start(Index column) const {
    if (column < width_) return column * m_;
    const Index first = column / width_ * width_;
    return begin_of(first) + (column - first) * (m_ - first) - first;
  }

  /// From one column to the next, in the panel that begins at column `first`.
  Index leading(Index first) const { return m_ - first; }

 private:
  /// Where the panel begins whose first column is `first`: after those of columns 0, w, 2 w, ...
  Index begin_of(Index first) const { return first * m_ - first * (first - width_) / 2; }

  /// Few enough panels that what the BLAS copies for each stays cheap.
  static Index panel_width(Index m) {
    return m <= 64 ? m : std::clamp<Index>(m / 8 / 16 * 16, 48, 512);
  }

  Index m_, width_;
};

}  // namespace spsolve::sparse
