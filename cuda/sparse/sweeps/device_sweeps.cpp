#include "cuda/sparse/sweeps/device_sweeps.hpp"

#include <algorithm>
#include <tuple>

#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

/// The topmost front of each front's tree.
std::vector<int> roots_of(const std::vector<FrontLayout>& layouts) {
  std::vector<int> root(layouts.size());
  for (std::size_t s = layouts.size(); s-- > 0;) {
    root[s] = layouts[s].parent < 0 ? static_cast<int>(s) : root[layouts[s].parent];
  }
  return root;
}

/// The number of each front's piece: that of its part, after those of the groups before its own.
std::vector<int> pieces_of(const DeviceLayout& all, const std::vector<int>& group_of) {
  std::vector<int> piece(group_of.size());
  const int parts = static_cast<int>(all.parts.size());
  for (int p = 0; p < parts; ++p) {
    for (Index i = all.level_starts[all.parts[p].first_level];
         i < all.level_starts[all.parts[p].end_level]; ++i) {
      piece[all.by_level[i]] = group_of[all.by_level[i]] * parts + p;
    }
  }
  return piece;
}

}  // namespace

/// For each front the group of its block: one after the last of those that its rows wait for.
template <typename T>
std::vector<int> DeviceSweeps<T>::groups_of(const SparseAnalysis& analysis, int& count) const {
  const auto& layouts = factors_.layout().fronts;
  std::vector<int> group(layouts.size(), 0);
  count = layouts.empty() ? 0 : 1;
  const OffDiagonalBlocks& off_diagonal_blocks = analysis.off_diagonal_blocks;
  if (off_diagonal_blocks.empty()) return group;
  const std::vector<int> root = roots_of(layouts);
  std::vector<int> front_of(analysis.rows());
  for (std::size_t s = 0; s < layouts.size(); ++s) {
    std::fill_n(front_of.begin() + layouts[s].first, layouts[s].pivots, static_cast<int>(s));
  }
  for (std::size_t i = 0; i < off_diagonal_blocks.roots.size();
       ++i) {  // each after those it waits for
    int& own = group[off_diagonal_blocks.roots[i]];
    for (Index e = off_diagonal_blocks.starts[i]; e < off_diagonal_blocks.starts[i + 1]; ++e) {
      own = std::max(own, group[root[front_of[off_diagonal_blocks.entries[e].column]]] + 1);
    }
    count = std::max(count, own + 1);
  }
  for (std::size_t s = 0; s < layouts.size(); ++s) group[s] = group[root[s]];
  return group;
}

template <typename T>
typename DeviceSweeps<T>::OffDiagonalPart DeviceSweeps<T>::off_diagonal_part(
    const SparseAnalysis& analysis, const std::vector<int>& group_of, bool by_columns,
    Range Group::*range) {
  const auto& layouts = factors_.layout().fronts;
  struct Entry {
    int group, row, column;
    Index source;
  };
  std::vector<int> group_at(analysis.rows());
  for (std::size_t s = 0; s < layouts.size(); ++s) {
    std::fill_n(group_at.begin() + layouts[s].first, layouts[s].pivots, group_of[s]);
  }
  std::vector<Entry> entries;
  for (const OffDiagonalEntry& c : analysis.off_diagonal_blocks.entries) {
    const int row = by_columns ? c.column : c.row, column = by_columns ? c.row : c.column;
    entries.push_back({group_at[row], row, column, c.source});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.group, a.row, a.column) < std::tie(b.group, b.row, b.column);
  });
  std::vector<int> rows, columns;
  std::vector<Index> starts, sources;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const Entry& entry = entries[e];
    if (e == 0 || entry.row != entries[e - 1].row) {
      Range& own = groups_[entry.group].*range;
      if (own.size() == 0) own.first = static_cast<Index>(rows.size());
      rows.push_back(entry.row);
      own.last = static_cast<Index>(rows.size());
      starts.push_back(static_cast<Index>(e));
    }
    columns.push_back(entry.column);
    sources.push_back(entry.source);
  }
  starts.push_back(static_cast<Index>(entries.size()));
  std::vector<int> row_of_piece;
  std::vector<Index> piece_starts{0};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Index length = starts[r + 1] - starts[r];
    const Index pieces = length > most_of_short_row ? (length + off_diagonal_blocks_of_piece - 1) /
                                                          off_diagonal_blocks_of_piece
                                                    : 0;
    row_of_piece.insert(row_of_piece.end(), static_cast<std::size_t>(pieces), static_cast<int>(r));
    piece_starts.push_back(static_cast<Index>(row_of_piece.size()));
  }
  return {piece_starts,
          DeviceArray<int>(rows),
          DeviceArray<int>(columns),
          DeviceArray<int>(row_of_piece),
          DeviceArray<Index>(starts),
          DeviceArray<Index>(sources),
          DeviceArray<Index>(piece_starts)};
}

template <typename T>
DeviceSweeps<T>::DeviceSweeps(const SparseAnalysis& analysis, DeviceFactors<T>& factors)
    : factors_(factors), rows_(analysis.rows()) {
  int groups = 0;
  const std::vector<int> group_of = groups_of(analysis, groups);
  groups_.resize(groups);
  const DeviceLayout& layout = factors_.layout();
  sweeps_.emplace(analysis.fronts, layout, analysis.fronts.border, pieces_of(layout, group_of),
                  groups_.size() * parts(), rows_);
  if (!analysis.off_diagonal_blocks.empty()) {
    by_rows_ = off_diagonal_part(analysis, group_of, false, &Group::rows);
    by_columns_ = off_diagonal_part(analysis, group_of, true, &Group::columns);
  }
  column_order_ = DeviceArray<int>(analysis.order);
  std::vector<LocalIndex> rows(analysis.order);
  if (!analysis.row_of.empty()) {
    for (LocalIndex& row : rows) row = analysis.row_of[row];
  }
  row_order_ = DeviceArray<int>(rows);
}

template <typename T>
void DeviceSweeps<T>::solve_some(bool transposed, int columns) {
  const cudaStream_t stream = current_stream();
  sweeps_->begin(factors_.device_layouts(), factors_.arena(), transposed, columns, stream);
  const OffDiagonalPart& off_diagonal_blocks = transposed ? by_columns_ : by_rows_;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::size_t g = transposed ? groups_.size() - 1 - i : i;
    const Group& group = groups_[g];
    const Range known = transposed ? group.columns : group.rows;
    const Range pieces = off_diagonal_blocks.pieces_of(known);
    off_diagonal_parts_.grow(pieces.size() * columns);
    subtract_off_diagonal_blocks(off_diagonal_blocks.view(), factors_.values(), known, pieces,
                                 columns, static_cast<const T*>(sweeps_->x()), sweeps_->b(),
                                 off_diagonal_parts_.data(), stream);
    const std::size_t first = g * parts();
    for (std::size_t p = 0; p < parts(); ++p) {
      if (sweeps_->is_empty(first + p)) continue;
      factors_.acquire(p, p + 1, stream);
      sweeps_->forward(first + p, stream);
      factors_.release(p, stream);
    }
    for (std::size_t p = parts(); p-- > 0;) {
      if (sweeps_->is_empty(first + p)) continue;
      factors_.acquire(p, p > 0 ? p - 1 : parts(), stream);
      sweeps_->backward(first + p, stream);
      factors_.release(p, stream);
    }
  }
}

template <typename T>
void DeviceSweeps<T>::solve(bool transposed, Index columns, const double* b, double* x) {
  const cudaStream_t stream = current_stream();
  const Index widest = std::min<Index>(columns, most_sweep_columns);
  sweeps_->make_room(widest);
  const DeviceArray<int>& from = transposed ? column_order_ : row_order_;
  const DeviceArray<int>& to = transposed ? row_order_ : column_order_;
  for (Index c = 0; c < columns; c += widest) {
    const int some = static_cast<int>(std::min(widest, columns - c));
    reorder_rows(false, from.data(), rows_, some, b + c, columns, sweeps_->b(), some, stream);
    solve_some(transposed, some);
    reorder_rows(true, to.data(), rows_, some, sweeps_->x(), some, x + c, columns, stream);
  }
}

SPSOLVE_INSTANTIATE(class DeviceSweeps)

}  // namespace spsolve::cuda::sparse
