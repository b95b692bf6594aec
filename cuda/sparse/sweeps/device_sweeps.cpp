#include "cuda/sparse/sweeps/device_sweeps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/error.hpp"
#include "cuda/core/stream.hpp"

namespace spsolve::cuda {

namespace {

/// Fronts of at most so many tiles are swept by one thread block.
constexpr int tiles_of_one_task = 3;

int tiles_of(const FrontPlace& front) {
  return front.blocks() + (front.border + pivot_block - 1) / pivot_block;
}

/// The topmost front of each front's tree.
std::vector<int> roots_of(const std::vector<FrontPlace>& places) {
  std::vector<int> root(places.size());
  for (std::size_t s = places.size(); s-- > 0;) {
    root[s] = places[s].parent < 0 ? static_cast<int>(s) : root[places[s].parent];
  }
  return root;
}

/// The number of each front's piece: that of its part, behind those of the groups before its own.
std::vector<int> pieces_of(const FrontPlaces& all, const std::vector<int>& group_of) {
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

/// For each front the group of its block: one behind the last of those that its rows wait for.
template <typename T>
std::vector<int> DeviceSweeps<T>::groups_of(const SparseAnalysis& analysis, int& count) const {
  const auto& places = factors_.places().places;
  std::vector<int> group(places.size(), 0);
  count = places.empty() ? 0 : 1;
  const Couplings& couplings = analysis.couplings;
  if (couplings.empty()) return group;
  const std::vector<int> root = roots_of(places);
  std::vector<int> front_of(analysis.rows());
  for (std::size_t s = 0; s < places.size(); ++s) {
    std::fill_n(front_of.begin() + places[s].first, places[s].pivots, static_cast<int>(s));
  }
  for (std::size_t i = 0; i < couplings.roots.size(); ++i) {  // each behind those it waits for
    int& own = group[couplings.roots[i]];
    for (Index e = couplings.starts[i]; e < couplings.starts[i + 1]; ++e) {
      own = std::max(own, group[root[front_of[couplings.entries[e].column]]] + 1);
    }
    count = std::max(count, own + 1);
  }
  for (std::size_t s = 0; s < places.size(); ++s) group[s] = group[root[s]];
  return group;
}

/// Which rows of what is passed up each row of a front takes in, child by child.
template <typename T>
void DeviceSweeps<T>::write_taken(const Fronts& fronts) {
  const auto& places = factors_.places().places;
  const Index count = static_cast<Index>(places.size());
  const Index borders = static_cast<Index>(fronts.border.size());
  if (borders > std::numeric_limits<unsigned>::max()) {
    fail(ExitCode::resources, "the borders of the fronts have {} rows, and GPUs take at most {}",
         borders, std::numeric_limits<unsigned>::max());
  }
  // Each row's count stands two places on, so that its end comes to stand one place on.
  std::vector<unsigned> starts(fronts.order() + borders + 2, 0);
  const auto each = [&](Index s, const auto& visit) {
    for (int i = places[s].child_begin; i < places[s].child_end; ++i) {
      const LocalIndex child = fronts.children[i];
      for (Index k = fronts.border_starts[child]; k < fronts.border_starts[child + 1]; ++k) {
        visit(places[s].first_row() + fronts.in_parent[k], k);
      }
    }
  };
#pragma omp parallel for schedule(dynamic, 256)
  for (Index s = 0; s < count; ++s) each(s, [&](Index row, Index) { ++starts[row + 2]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<unsigned> taken(starts.back());
#pragma omp parallel for schedule(dynamic, 256)
  for (Index s = 0; s < count; ++s) {
    each(s, [&](Index row, Index k) { taken[starts[row + 1]++] = static_cast<unsigned>(k); });
  }
  taken_starts_ = DeviceArray<unsigned>(starts);
  taken_ = DeviceArray<unsigned>(taken);
}

/// The lists of all pieces one after another, and where each one's is.
template <typename T>
template <typename Item>
DeviceArray<Item> DeviceSweeps<T>::joined(const std::vector<std::vector<Item>>& lists,
                                          Range Piece::*range) {
  std::vector<Item> all;
  for (std::size_t g = 0; g < pieces_.size(); ++g) {
    const Index first = static_cast<Index>(all.size());
    all.insert(all.end(), lists[g].begin(), lists[g].end());
    pieces_[g].*range = {first, static_cast<Index>(all.size())};
  }
  return DeviceArray<Item>(all);
}

template <typename T>
void DeviceSweeps<T>::write_small(const std::vector<int>& piece_of) {
  const FrontPlaces& all = factors_.places();
  std::vector<std::vector<int>> lists(pieces_.size());
  for (Index i = 0; i < all.level_starts[all.low_levels]; ++i) {
    lists[piece_of[all.by_level[i]]].push_back(all.by_level[i]);
  }
  small_ = joined(lists, &Piece::small);
}

template <typename T>
void DeviceSweeps<T>::write_tasks(const std::vector<int>& piece_of) {
  const FrontPlaces& all = factors_.places();
  const Index first_above = all.level_starts[all.low_levels];
  std::vector<std::vector<SweepTask>> forward(pieces_.size()), backward(pieces_.size());
  for (Index i = first_above; i < static_cast<Index>(all.by_level.size()); ++i) {
    const LocalIndex s = all.by_level[i];
    const FrontPlace& front = all.places[s];
    const int tiles = tiles_of(front);
    auto& tasks = forward[piece_of[s]];
    if (tiles <= tiles_of_one_task) {
      tasks.push_back({s, 0, tiles});
      continue;
    }
    for (int tile = 0; tile < tiles; ++tile) tasks.push_back({s, tile, tile + 1});
  }
  for (Index i = static_cast<Index>(all.by_level.size()); i-- > first_above;) {
    const LocalIndex s = all.by_level[i];
    const FrontPlace& front = all.places[s];
    auto& tasks = backward[piece_of[s]];
    if (tiles_of(front) <= tiles_of_one_task) {
      tasks.push_back({s, 0, front.blocks()});
      continue;
    }
    for (int block = front.blocks() - 1; block >= 0; --block) {
      tasks.push_back({s, block, block + 1});
    }
  }
  forward_ = joined(forward, &Piece::forward);
  backward_ = joined(backward, &Piece::backward);
  next_ = DeviceArray<int>(2 * static_cast<Index>(pieces_.size()));
}

template <typename T>
typename DeviceSweeps<T>::Coupled DeviceSweeps<T>::coupled(const SparseAnalysis& analysis,
                                                           const std::vector<int>& group_of,
                                                           bool by_columns, Range Group::*range) {
  const auto& places = factors_.places().places;
  struct Entry {
    int group, row, column;
    Index source;
  };
  std::vector<int> group_at(analysis.rows());
  for (std::size_t s = 0; s < places.size(); ++s) {
    std::fill_n(group_at.begin() + places[s].first, places[s].pivots, group_of[s]);
  }
  std::vector<Entry> entries;
  for (const Coupling& c : analysis.couplings.entries) {
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
  return {DeviceArray<int>(rows), DeviceArray<int>(columns), DeviceArray<Index>(starts),
          DeviceArray<Index>(sources)};
}

template <typename T>
DeviceSweeps<T>::DeviceSweeps(const SparseAnalysis& analysis, DeviceFactors<T>& factors)
    : factors_(factors), rows_(analysis.rows()) {
  int groups = 0;
  const std::vector<int> group_of = groups_of(analysis, groups);
  groups_.resize(groups);
  pieces_.resize(groups_.size() * parts());
  const std::vector<int> piece_of = pieces_of(factors_.places(), group_of);
  write_small(piece_of);
  write_tasks(piece_of);
  write_taken(analysis.fronts);
  if (!analysis.couplings.empty()) {
    by_rows_ = coupled(analysis, group_of, false, &Group::rows);
    by_columns_ = coupled(analysis, group_of, true, &Group::columns);
  }
  column_order_ = DeviceArray<int>(analysis.order);
  std::vector<LocalIndex> rows(analysis.order);
  if (!analysis.row_of.empty()) {
    for (LocalIndex& row : rows) row = analysis.row_of[row];
  }
  row_order_ = DeviceArray<int>(rows);
  border_ = DeviceArray<int>(analysis.fronts.border);
}

template <typename T>
void DeviceSweeps<T>::solve_some(bool transposed, int columns) {
  const cudaStream_t stream = current_stream();
  const auto set_bits = [&](auto& array, int byte, Index count) {
    CUDA_CHECK(cudaMemsetAsync(array.data(), byte,
                               static_cast<std::size_t>(count) * sizeof(*array.data()), stream));
  };
  set_bits(next_, 0, next_.size());
  set_bits(y_, 0xff, rows_ * columns);
  set_bits(x_, 0xff, rows_ * columns);
  set_bits(passed_up_, 0xff, border_.size() * columns);
  Sweep<T> forward{.places = factors_.device_places(),
                   .border = border_.data(),
                   .taken_starts = taken_starts_.data(),
                   .taken = taken_.data(),
                   .factors = factors_.arena(),
                   .transposed = transposed,
                   .b = b_.data(),
                   .x = y_.data(),
                   .passed_up = passed_up_.data(),
                   .next = next_.data(),
                   .columns = columns};
  Sweep<T> backward = forward;
  backward.b = y_.data();
  backward.x = x_.data();
  const DeviceCouplings couplings = (transposed ? by_columns_ : by_rows_).view();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::size_t g = transposed ? groups_.size() - 1 - i : i;
    const Group& group = groups_[g];
    const Range known = transposed ? group.columns : group.rows;
    subtract_couplings(couplings, factors_.values(), known.first, known.last, columns,
                       static_cast<const T*>(x_.data()), b_.data(), stream);
    const std::size_t first = g * parts();
    for (std::size_t p = 0; p < parts(); ++p) {
      const Piece& piece = pieces_[first + p];
      if (piece.is_empty()) continue;
      factors_.bring(p, p + 1, stream);
      forward.next = next_.data() + 2 * (first + p);
      sweep_small_forward(forward, small_.data() + piece.small.first, piece.small.size(), stream);
      sweep_forward(forward, forward_.data() + piece.forward.first, piece.forward.size(), stream);
      factors_.leave(p, stream);
    }
    for (std::size_t p = parts(); p-- > 0;) {
      const Piece& piece = pieces_[first + p];
      if (piece.is_empty()) continue;
      factors_.bring(p, p > 0 ? p - 1 : parts(), stream);
      backward.next = next_.data() + 2 * (first + p) + 1;
      sweep_backward(backward, backward_.data() + piece.backward.first, piece.backward.size(),
                     stream);
      sweep_small_backward(backward, small_.data() + piece.small.first, piece.small.size(), stream);
      factors_.leave(p, stream);
    }
  }
}

template <typename T>
void DeviceSweeps<T>::solve(bool transposed, Index columns, const double* b, double* x) {
  const cudaStream_t stream = current_stream();
  const Index widest = std::min<Index>(columns, most_sweep_columns);
  for (DeviceArray<T>* vectors : {&b_, &y_, &x_}) vectors->grow(rows_ * widest);
  passed_up_.grow(border_.size() * widest);
  const DeviceArray<int>& from = transposed ? column_order_ : row_order_;
  const DeviceArray<int>& to = transposed ? row_order_ : column_order_;
  for (Index c = 0; c < columns; c += widest) {
    const int some = static_cast<int>(std::min(widest, columns - c));
    reorder_rows(false, from.data(), rows_, some, b + c, columns, b_.data(), some, stream);
    solve_some(transposed, some);
    reorder_rows(true, to.data(), rows_, some, x_.data(), some, x + c, columns, stream);
  }
}

template class DeviceSweeps<float>;
template class DeviceSweeps<double>;

}  // namespace spsolve::cuda
