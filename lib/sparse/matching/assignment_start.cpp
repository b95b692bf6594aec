#include <algorithm>

#include "sparse/matching/assignment.hpp"

// Where an assignment begins: potentials from a few passes over the costs, and what can be assigned
// with them along entries without reduced cost.

namespace spsolve::inline sparse {

/// v_j <- min_i (cost_ij - u_i).
void Assignment::reduce_columns() {
  std::vector<double> least(columns_.size(), infinite);
  for (const Row& row : rows_) {
    each(row, [&](const Entry& entry) {
      least[entry.column] = std::min(least[entry.column], entry.cost - row.potential);
    });
  }
  for (LocalIndex j = 0; j < size(); ++j) {
    columns_[j].potential = least[j] == infinite ? 0 : least[j];
  }
}

/// u_i <- min_j (cost_ij - v_j).
void Assignment::reduce_rows() {
#pragma omp parallel for schedule(static) if (threads_)
  for (LocalIndex i = 0; i < size(); ++i) {
    double least = infinite;
    each(rows_[i], [&](const Entry& entry) {
      least = std::min(least, entry.cost - columns_[entry.column].potential);
    });
    rows_[i].potential = least == infinite ? 0 : least;
  }
}

void Assignment::assign_without_cost() {
  // The diagonal first, so that it is kept where it will do.
  for (LocalIndex i = 0; i < size(); ++i) {
    each(rows_[i], [&](const Entry& entry) {
      if (entry.column == i && reduced(rows_[i], entry) <= 0) assign(i, i);
    });
  }
  // Then paths of rows that give up their column for another, for as long as they are many.
  constexpr LocalIndex few = 64;  // of so many rows, one
  CostlessPaths paths{std::vector<Index>(rows_.size()), {}, {}, {}};
  for (LocalIndex i = 0; i < size(); ++i) paths.ahead[i] = rows_[i].begin;
  for (LocalIndex found = 1, left = 0; found > left / few;) {
    paths.visited.assign(columns_.size(), 0);
    paths.next.assign(rows_.size(), -1);
    found = left = 0;
    for (LocalIndex i = 0; i < size(); ++i) {
      if (rows_[i].column >= 0) continue;
      if (assign_by_path(i, paths)) {
        ++found;
      } else {
        ++left;
      }
    }
  }
}

/// Free rows bid for columns (augmenting row reduction, Jonker and Volgenant 1987): each takes the
/// one that costs it least, and lowers its potential until the second best costs as much, which
/// rows without it do not mind; the row that had it bids next, or in the next turn if both cost the
/// same. A turn ends after so many steps, as potentials fall little by little where many rows want
/// few columns, and no other follows one that left nearly as many rows free.
void Assignment::bid_for_columns() {
  constexpr int turns = 8;
  constexpr Index share = 2;  // of all entries, that a turn looks at
  constexpr std::size_t few = 8;
  std::vector<LocalIndex> bidders = free_rows(), free;
  std::size_t before = 0;
  for (int turn = 0; turn < turns && (turn == 0 || before - bidders.size() > before / few);
       ++turn) {
    before = bidders.size();
    free.clear();
    for (Index steps = 0; !bidders.empty() && steps * share < std::ssize(entries_);) {
      const LocalIndex i = bidders.back();
      bidders.pop_back();
      steps += rows_[i].end - rows_[i].begin;
      const auto [first, second, gap] = best_of(rows_[i]);
      if (second < 0) {  // no other column, at any price
        free.push_back(i);
        continue;
      }
      const LocalIndex column = gap > 0 || columns_[first].row < 0 ? first : second;
      columns_[first].potential -= gap;
      rows_[i].potential += gap;
      const LocalIndex former = columns_[column].row;
      assign(i, column);
      if (former < 0) continue;
      rows_[former].column = -1;
      (gap > 0 ? bidders : free).push_back(former);
    }
    bidders.insert(bidders.end(), free.begin(), free.end());
  }
}

/// Makes a row's potential the least of cost_ij - v_j, and hands back where it is, the second
/// least, and by how much that is more.
Assignment::Best Assignment::best_of(Row& row) const {
  Best best;
  double least = infinite, next = infinite;
  each(row, [&](const Entry& entry) {
    const double cost = entry.cost - columns_[entry.column].potential;
    if (cost < least) {
      best.second = best.first;
      next = least;
      best.first = entry.column;
      least = cost;
    } else if (cost < next) {
      best.second = entry.column;
      next = cost;
    }
  });
  row.potential = best.first < 0 ? 0 : least;
  best.gap = next - least;
  return best;
}

/// A path from a free row along entries without reduced cost, depth first, by columns that no other
/// path of this turn has visited; each row on it looks for a free column before it asks the owner
/// of another (Duff 1981; Pothen and Fan 1990). Whether there is one.
bool Assignment::assign_by_path(LocalIndex source, CostlessPaths& paths) {
  const auto open = [&](const Row& row, Index k) { return reduced(row, entries_[k]) <= 0; };
  paths.rows.assign(1, source);
  while (!paths.rows.empty()) {
    const LocalIndex i = paths.rows.back();
    const Row& row = rows_[i];
    Index& ahead = paths.ahead[i];  // columns before it are taken for good
    while (ahead < row.end && (columns_[entries_[ahead].column].row >= 0 || !open(row, ahead))) {
      ++ahead;
    }
    if (ahead < row.end) {
      // Each row on the path gives up the column that the row before asked of it.
      for (LocalIndex column = entries_[ahead].column; !paths.rows.empty();) {
        const LocalIndex taker = paths.rows.back();
        const LocalIndex former = rows_[taker].column;
        assign(taker, column);
        column = former;
        paths.rows.pop_back();
      }
      return true;
    }
    Index& next = paths.next[i];
    if (next < 0) next = row.begin;
    while (next < row.end && (paths.visited[entries_[next].column] || !open(row, next))) ++next;
    if (next == row.end) {
      paths.rows.pop_back();
      continue;
    }
    const LocalIndex column = entries_[next].column;
    paths.visited[column] = 1;
    paths.rows.push_back(columns_[column].row);
  }
  return false;
}

}  // namespace spsolve::sparse
