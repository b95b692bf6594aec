#include "sparse/matching/assignment.hpp"

#include <algorithm>
#include <cmath>

namespace spsolve::inline sparse {

namespace {

constexpr Index entries_worth_threads = 1 << 14;  // entries
constexpr double round_off = 0x1p-40;             // of costs up to 2^10, many times over

/// Has a cache line fetched before it is needed: rows are visited in no order, and waiting for them
/// took a quarter of the searches' time.
void fetch(const void* address) {
  __builtin_prefetch(address);
}

}  // namespace

Assignment::Assignment(const Csr<double>& matrix)
    : entries_(static_cast<std::size_t>(matrix.nonzeros())),
      rows_(static_cast<std::size_t>(matrix.rows)),
      columns_(static_cast<std::size_t>(matrix.rows)),
      threads_(matrix.nonzeros() > entries_worth_threads) {
  take_costs(matrix);
  if (keep_diagonal()) return;
  reduce_columns();
  reduce_rows();
  assign_without_cost();
  bid_for_columns();
  find_paths();
  if (groups_ > 0) restore_potentials();
  prefer_diagonal();
  for (Row& row : rows_) {  // exactly what they are but for round-off on the way

    each(row, [&](const Entry& entry) {
      if (entry.column == row.column) {
        row.potential = entry.cost - columns_[entry.column].potential;
      }
    });
  }
}

void Assignment::take_costs(const Csr<double>& matrix) {
#pragma omp parallel for schedule(static) if (threads_)
  for (LocalIndex i = 0; i < size(); ++i) {
    Index next = matrix.row_offsets[i];
    rows_[i].begin = next;
    for (Index k = next; k < matrix.row_offsets[i + 1]; ++k) {
      const double magnitude = std::abs(matrix.values[k]);
      if (magnitude != 0) entries_[next++] = {-std::log2(magnitude), matrix.column_indices[k]};
    }
    rows_[i].end = next;
  }
}

/// Assigns the diagonal where one of three guesses proves it best, with d_i its costs:
/// u_i = v_i = d_i / 2, which does for every positive definite matrix, as a_ij^2 <= a_ii a_jj;
/// u = d, v = 0; and u = 0, v = d, for entries that dominate their rows or columns.
bool Assignment::keep_diagonal() {
  std::vector<double> diagonal(rows_.size(), infinite);
  bool halves = true, by_rows = true, by_columns = true;
#pragma omp parallel for schedule(static) reduction(&& : halves) if (threads_)
  for (LocalIndex i = 0; i < size(); ++i) {
    each(rows_[i], [&](const Entry& entry) {
      if (entry.column == i) diagonal[i] = entry.cost;
    });
    halves = halves && diagonal[i] != infinite;
  }
  if (!halves) return false;
#pragma omp parallel for schedule(static) reduction(&& : halves, by_rows, by_columns) if (threads_)
  for (LocalIndex i = 0; i < size(); ++i) {
    each(rows_[i], [&](const Entry& entry) {
      const double least = entry.cost + round_off;
      const double across = diagonal[entry.column];
      halves = halves && (diagonal[i] + across) / 2 <= least;
      by_rows = by_rows && diagonal[i] <= least;
      by_columns = by_columns && across <= least;
    });
  }
  if (!halves && !by_rows && !by_columns) return false;
  const double row_share = halves ? 0.5 : by_rows ? 1 : 0;
  for (LocalIndex i = 0; i < size(); ++i) {
    rows_[i].potential = row_share * diagonal[i];
    columns_[i].potential = diagonal[i] - rows_[i].potential;
    assign(i, i);
  }
  return true;
}

/// Assigns the diagonal where it is as good as what was found: all of it without reduced cost.
void Assignment::prefer_diagonal() {
  for (LocalIndex i = 0; i < size(); ++i) {
    bool as_good = false;
    each(rows_[i], [&](const Entry& entry) {
      if (entry.column == i) as_good = reduced(rows_[i], entry) <= round_off;
    });
    if (!as_good) return;
  }
  for (LocalIndex i = 0; i < size(); ++i) assign(i, i);
}

/// The last one first.
std::vector<LocalIndex> Assignment::free_rows() const {
  std::vector<LocalIndex> rows;
  for (LocalIndex i = size() - 1; i >= 0; --i) {
    if (rows_[i].column < 0) rows.push_back(i);
  }
  return rows;
}

/// Paths from all free rows.
void Assignment::find_paths() {
  std::vector<LocalIndex> waiting = free_rows();
  constexpr double share = 1.0 / 8;  // of all entries: paths from rows one by one for so many steps
  double steps_alone = 0, steps_together = 0;  // for each row that needs no more searches
  while (!waiting.empty()) {
    steps_ = 0;
    std::size_t searches = 0;
    if (steps_together < steps_alone) {
      roots_ = waiting;
      grow_forest();
      steps_together = static_cast<double>(steps_) /
                       static_cast<double>(goals_.empty() ? roots_.size() : goals_.size());
      std::erase_if(waiting, [&](LocalIndex i) { return goals_.empty() || rows_[i].column >= 0; });
      continue;
    }
    for (; !waiting.empty() &&
           static_cast<double>(steps_) <= share * static_cast<double>(entries_.size());
         ++searches) {
      roots_.assign(1, waiting.back());
      waiting.pop_back();
      grow_forest();
    }
    steps_alone = static_cast<double>(steps_) / static_cast<double>(searches);
  }
}

/// The shortest path from each root to a free column, or of one of those roots that it is nearest
/// to; where there is none, the roots are given up.
void Assignment::grow_forest() {
  reached_.clear();
  final_.clear();
  goals_.clear();
  heap_.clear();
  nearest_.clear();
  next_nearest_ = 0;
  bound_ = infinite;
  for (const LocalIndex i : roots_) rows_[i].root = i;
  for (const LocalIndex i : roots_) scan(i, 0);
  // Where the trees that are left grow much longer for a goal than those before, they wait for the
  // next forest, which is shorter by what was found in this one.
  constexpr std::size_t patience = 4, least_growth = 64;
  std::size_t last_found = 0;
  double depth = 0;
  for (HeapEntry next{0, -1}; goals_.size() < roots_.size() && take_next(next);) {
    Column& column = columns_[next.column];
    column.distance = -infinite;
    final_.push_back(next);
    depth = next.distance;
    const LocalIndex root = rows_[column.from].root;
    if (column.row >= 0) {
      rows_[column.row].root = root;
      scan(column.row, depth);
    } else if (rows_[root].column < 0) {
      rows_[root].column = next.column;  // which says that this tree has its goal
      goals_.push_back(next.column);
      last_found = final_.size();
    }
    if (!goals_.empty() &&
        final_.size() - last_found > least_growth + patience * last_found / goals_.size()) {
      break;
    }
  }
  if (goals_.empty()) {
    give_up();
    return;
  }
  for (const LocalIndex j : reached_) columns_[j].distance = infinite;
  shift_potentials(depth);
  augment();
}

/// Offers columns a path by `row`, which lies at `distance`.
void Assignment::scan(LocalIndex row, double distance) {
  steps_ += rows_[row].end - rows_[row].begin;
  each(rows_[row], [&](const Entry& entry) {
    Column& column = columns_[entry.column];
    // A reduced cost below 0 is round-off.
    const double path = distance + std::max(0.0, reduced(rows_[row], entry));
    if (path >= bound_ || path >= column.distance) return;
    if (roots_.size() == 1 && column.row < 0) bound_ = path;
    if (column.distance == infinite) reached_.push_back(entry.column);
    column.distance = path;
    column.from = row;
    if (column.row >= 0) fetch(&rows_[column.row]);
    if (path == distance) {
      nearest_.push_back(entry.column);
    } else {
      heap_.push_back({path, entry.column});
      std::push_heap(heap_.begin(), heap_.end());
    }
  });
}

/// Has the entries fetched that scan() reads once this column is taken.
void Assignment::fetch_row_of(LocalIndex column) const {
  const LocalIndex row = columns_[column].row;
  if (row >= 0) fetch(entries_.data() + rows_[row].begin);
}

/// The nearest column whose distance is not final; false where there is none.
bool Assignment::take_next(HeapEntry& next) {
  while (next_nearest_ < nearest_.size()) {
    if (next_nearest_ + 2 < nearest_.size()) fetch_row_of(nearest_[next_nearest_ + 2]);
    next.column = nearest_[next_nearest_++];
    if (columns_[next.column].distance != -infinite) return true;
  }
  nearest_.clear();
  next_nearest_ = 0;
  while (!heap_.empty()) {
    next = heap_.front();
    fetch_row_of(next.column);
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    // Columns that a shorter path has reached since are still in the heap.
    if (columns_[next.column].distance == next.distance) return true;
  }
  return false;
}

/// Rows and columns within `depth` of the free rows: u_i grows by how much nearer they are, and v_j
/// falls by it, after which all paths of the forest are without reduced cost.
void Assignment::shift_potentials(double depth) {
  for (const LocalIndex i : roots_) rows_[i].potential += depth;
  for (const HeapEntry& place : final_) {
    Column& column = columns_[place.column];
    column.potential -= depth - place.distance;
    if (column.row >= 0) rows_[column.row].potential += depth - place.distance;
  }
}

/// Along the path to each goal, rows take the column after them.
void Assignment::augment() {
  for (LocalIndex j : goals_) {
    for (;;) {
      const LocalIndex i = columns_[j].from;
      const LocalIndex former = rows_[i].column;
      assign(i, j);
      if (rows_[i].root == i) break;
      j = former;
    }
  }
}

/// Rows that were reached have no columns but those that were reached, and none of these is free:
/// no later path can lead here. Their distances stay final, so that it turns back.
void Assignment::give_up() {
  if (groups_ == 0) {
    row_group_.assign(rows_.size(), 0);
    column_group_.assign(columns_.size(), 0);
  }
  ++groups_;
  const auto add = [&](LocalIndex row) {
    row_group_[row] = groups_;
    given_up_.push_back(row);
  };
  for (const LocalIndex i : roots_) add(i);
  for (const HeapEntry& place : final_) {
    column_group_[place.column] = groups_;
    add(columns_[place.column].row);
  }
}

/// Later searches raised u_i where a_ij has a column j that was given up: v_j has to fall, and the
/// potentials of its group with it. Rows of a group have columns of it and of earlier ones only.
void Assignment::restore_potentials() {
  std::vector<double> shifts(static_cast<std::size_t>(groups_) + 1, 0.0);
  const auto visit = [&](LocalIndex i) {
    const LocalIndex group = row_group_[i];
    rows_[i].potential += shifts[group];
    each(rows_[i], [&](const Entry& entry) {
      const LocalIndex other = column_group_[entry.column];
      if (other != group) shifts[other] = std::max(shifts[other], -reduced(rows_[i], entry));
    });
  };
  for (LocalIndex i = 0; i < size(); ++i) {
    if (row_group_[i] == 0) visit(i);
  }
  for (auto row = given_up_.rbegin(); row != given_up_.rend(); ++row) visit(*row);
  for (LocalIndex j = 0; j < size(); ++j) columns_[j].potential -= shifts[column_group_[j]];
}

}  // namespace spsolve::sparse
