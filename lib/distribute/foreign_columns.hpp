#pragma once

#include <vector>

#include "matrix/csr.hpp"

namespace spsolve::inline distribute {

/// The columns outside of `own` that the rows name, ascending. In threads; memory: a bit for every
/// column.
std::vector<Index> foreign_columns(const Csr<double>& rows, Range own);

/// Numbers columns as products of a rank's rows do: own ones first, then the others, an ascending
/// list that has all of them; rows keep their order. Cost: a pass in threads, and a search for each
/// entry in a column of others.
void number_columns(Csr<double>& rows, Range own, const std::vector<Index>& others);

/// The way back, to columns of a matrix that has `columns` of them. Rows may ascend by their
/// columns or by these numbers, and ascend by columns then.
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

}  // namespace spsolve::distribute
