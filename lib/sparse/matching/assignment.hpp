#pragma once

#include <limits>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline sparse {

/// An assignment of as many rows as possible of a square matrix to columns in which they have
/// non-zeros, with the least sum of costs -log2 |a_ij|; and potentials that prove it:
/// u_i + v_j <= cost_ij for all non-zeros, with equality, to round-off, where row i is assigned to
/// column j.
///
/// Method: potentials of columns from their least costs, and of rows from what is left; then rows
/// are assigned along entries without reduced cost, by paths found depth first (Duff 1981; Pothen
/// and Fan 1990), and most others by bids (augmenting row reduction, Jonker and Volgenant 1987), of
/// which many take the place of one path. The rest is found by shortest augmenting paths,
/// with reduced costs as lengths, by Dijkstra's method: from one free row after the other, or from
/// all of them at once, which makes a forest whose every tree that reaches a free column assigns
/// one row more; whichever took fewer steps a row when it was tried last. Where no free column is
/// reached, none ever will be: what was reached is left out of all later searches.
class Assignment {
 public:
  /// Values are finite; zeros that are stored are no entries.
  explicit Assignment(const Csr<double>& matrix);

  LocalIndex size() const { return static_cast<LocalIndex>(rows_.size()); }
  /// -1 where nothing is assigned.
  LocalIndex column_of(LocalIndex row) const { return rows_[row].column; }
  LocalIndex row_of(LocalIndex column) const { return columns_[column].row; }
  double row_potential(LocalIndex row) const { return rows_[row].potential; }
  double column_potential(LocalIndex column) const { return columns_[column].potential; }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  struct Entry {
    double cost;
    LocalIndex column;
  };
  // The knowledge of a search about a row or column lies together, in one cache line.
  struct Row {
    Index begin = 0, end = 0;  ///< its entries
    double potential = 0;
    LocalIndex column = -1;
    LocalIndex root = -1;  ///< the free row from which a search came here
  };
  struct Column {
    double potential = 0;
    double distance = infinite;  ///< from the nearest free row so far; -infinite once it is final
    LocalIndex row = -1;
    LocalIndex from = -1;  ///< the row before it on that path
  };
  struct HeapEntry {
    double distance;
    LocalIndex column;
    bool operator<(const HeapEntry& other) const {  // for a heap with the nearest on top
      return distance != other.distance ? distance > other.distance : column > other.column;
    }
  };

  /// Where searches along entries without reduced cost have come to.
  struct CostlessPaths {
    std::vector<Index> ahead;      ///< of each row, the first entry whose column may be free
    std::vector<Index> next;       ///< the first by which it was not gone yet; -1 for all
    std::vector<char> visited;     ///< columns
    std::vector<LocalIndex> rows;  ///< the path
  };

  /// The two columns that cost a row least; -1 where there are none.
  struct Best {
    LocalIndex first = -1, second = -1;
    double gap = 0;  ///< by which the second costs more
  };

  /// Calls work(entry) for the entries of a row.
  template <typename Work>
  void each(const Row& row, const Work& work) const {
    for (Index k = row.begin; k < row.end; ++k) work(entries_[k]);
  }
  double reduced(const Row& row, const Entry& entry) const {
    return entry.cost - columns_[entry.column].potential - row.potential;
  }
  void assign(LocalIndex row, LocalIndex column) {
    rows_[row].column = column;
    columns_[column].row = row;
  }

  void take_costs(const Csr<double>& matrix);
  bool keep_diagonal();
  void prefer_diagonal();
  void reduce_columns();
  void reduce_rows();
  void assign_without_cost();
  bool assign_by_path(LocalIndex source, CostlessPaths& paths);
  std::vector<LocalIndex> free_rows() const;
  Best best_of(Row& row) const;
  void bid_for_columns();
  void find_paths();
  void grow_forest();
  void scan(LocalIndex row, double distance);
  void fetch_row_of(LocalIndex column) const;
  bool take_next(HeapEntry& next);
  void shift_potentials(double depth);
  void augment();
  void give_up();
  void restore_potentials();

  std::vector<Entry> entries_;
  std::vector<Row> rows_;
  std::vector<Column> columns_;
  bool threads_ = false;  ///< whether there is enough to do for several

  // The forest that grows.
  std::vector<LocalIndex> roots_;    ///< free rows where it began
  double bound_ = infinite;          ///< of one tree alone: no path that is as long is of use
  std::vector<LocalIndex> reached_;  ///< columns with a distance
  std::vector<HeapEntry> final_;     ///< those whose distance is final, in that order
  std::vector<LocalIndex> goals_;    ///< columns that were free, one for each tree that reached one
  std::vector<HeapEntry> heap_;
  std::vector<LocalIndex> nearest_;  ///< columns at the distance of the row scanned last
  std::size_t next_nearest_ = 0;
  Index steps_ = 0;  ///< entries that were looked at

  // Rows and columns that no search enters any more: number and members of the forest, from 1, that
  // found no free column; 0 for all others.
  LocalIndex groups_ = 0;
  std::vector<LocalIndex> row_group_, column_group_;
  std::vector<LocalIndex> given_up_;  ///< such rows, by group
};

}  // namespace spsolve::sparse
