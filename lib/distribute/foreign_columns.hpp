#pragma once

#include <vector>

#include "matrix/csr.hpp"

namespace spsolve {

/// The columns outside of `own` that the rows name, ascending. In threads; memory: a bit for every
/// column.
std::vector<Index> foreign_columns(const Csr<double>& rows, Range own);

/// Numbers columns as products of a rank's rows do: own ones first, then an ascending list of
/// others; in their order. And the way back, to columns of the whole matrix, which has `columns` of
/// them: ascending, be they so already or as their numbers were.
void number_columns(Csr<double>& rows, Range own, const std::vector<Index>& others);
void name_columns(Csr<double>& rows, Range own, const std::vector<Index>& others, Index columns);

/// Places, from 0 and ascending with the columns, for those in `own` and those of an ascending list
/// of others: what is made for each column of a rank's rows is as long as its share then, not as
/// all columns.
class ColumnPlaces {
 public:
  ColumnPlaces(Range own, std::vector<Index> others);

  Index count() const { return own_.size() + static_cast<Index>(others_.size()); }

  LocalIndex place(Index column) const {
    return static_cast<LocalIndex>(own_.contains(column) ? column - own_.first + before_
                                                         : listed(column));
  }

  Index column(Index place) const {
    if (place < before_) return others_[place];
    const Index own = place - before_;
    return own < own_.size() ? own_.first + own : others_[place - own_.size()];
  }

 private:
  Index listed(Index column) const;

  Range own_;
  std::vector<Index> others_;
  Index before_;  ///< of the others, those before own ones
};

}  // namespace spsolve
