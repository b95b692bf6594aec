#include <algorithm>

#include "sparse/matching/assignment.hpp"

// Where an assignment begins: potentials from a few passes over the costs, and what can be assigned
// with them along entries without reduced cost.

namespace spsolve::inline sparse {

void Assignment::choose_potentials() {
  reduce_columns();
  const LocalIndex covered = reduce_rows();
  constexpr double nearly_all = 0.95;
  if (covered >= nearly_all * size()) return;
  bool differ = false;
  for (const Row& row : rows_) {
    each(row, [&](const Entry& entry) { differ = differ || reduced(row, entry) > 0; });
    if (differ) break;
  }
  if (!differ) return;  // as where all values are equal: nothing is left to fit
  fit_columns();
  if (reduce_rows() > covered) {
    reduce_columns();
    return;
  }
  for (Row& row : rows_) row.potential = 0;
  reduce_columns();
  reduce_rows();
}

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

/// u_i <- min_j (cost_ij - v_j); hands back how many columns are the first of least cost of a row.
LocalIndex Assignment::reduce_rows() {
  std::vector<char> covered(columns_.size(), 0);
#pragma omp parallel for schedule(static) if (threads_)
  for (LocalIndex i = 0; i < size(); ++i) {
    double least = infinite;
    LocalIndex column = -1;
    each(rows_[i], [&](const Entry& entry) {
      const double cost = entry.cost - columns_[entry.column].potential;
      if (cost < least) {
        least = cost;
        column = entry.column;
      }
    });
    rows_[i].potential = column < 0 ? 0 : least;
    if (column >= 0) {
#pragma omp atomic write
      covered[column] = 1;
    }
  }
  return static_cast<LocalIndex>(std::count(covered.begin(), covered.end(), 1));
}

/// v of the least-squares fit of u_i + v_j to the costs, roughly: rows and columns in turns take
/// the mean of what is left to them.
void Assignment::fit_columns() {
  constexpr int turns = 5;
  std::vector<double> sums(columns_.size());
  std::vector<LocalIndex> counts(columns_.size(), 0);
  for (const Row& row : rows_) {
    each(row, [&](const Entry& entry) { ++counts[entry.column]; });
  }
  for (int turn = 0; turn < turns; ++turn) {
#pragma omp parallel for schedule(static) if (threads_)
    for (LocalIndex i = 0; i < size(); ++i) {
      double sum = 0;
      each(rows_[i],
           [&](const Entry& entry) { sum += entry.cost - columns_[entry.column].potential; });
      const Index length = rows_[i].end - rows_[i].begin;
      rows_[i].potential = length == 0 ? 0 : sum / static_cast<double>(length);
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const Row& row : rows_) {
      each(row, [&](const Entry& entry) { sums[entry.column] += entry.cost - row.potential; });
    }
    for (LocalIndex j = 0; j < size(); ++j) {
      columns_[j].potential = counts[j] == 0 ? 0 : sums[j] / counts[j];
    }
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
