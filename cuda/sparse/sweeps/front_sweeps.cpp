#include "cuda/sparse/sweeps/front_sweeps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "cuda/sparse/sweeps/border_kernels.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

/// Fronts of at most so many tiles are swept by one thread block.
constexpr int tiles_of_one_task = 3;

int tiles_of(const FrontLayout& front) {
  return front.blocks() + (front.border + pivot_block - 1) / pivot_block;
}

}  // namespace

template <typename T>
FrontSweeps<T>::FrontSweeps(const Fronts& fronts, const DeviceLayout& layout,
                            const std::vector<LocalIndex>& border, const std::vector<int>& piece_of,
                            std::size_t pieces, Index rows)
    : rows_(rows), pieces_(pieces), border_(border) {
  write_small(layout, piece_of);
  write_tasks(layout, piece_of);
  list_contributions(fronts, layout.fronts);
}

/// Lists which rows of contributions each row of a front adds, child by child.
template <typename T>
void FrontSweeps<T>::list_contributions(const Fronts& fronts,
                                        const std::vector<FrontLayout>& layouts) {
  const Index count = fronts.size();
  const Index borders = border_.size();
  if (borders > std::numeric_limits<unsigned>::max()) {
    fail(ExitCode::resources, "the borders of the fronts have {} rows, and GPUs take at most {}",
         borders, std::numeric_limits<unsigned>::max());
  }
  // Each row's count stands two places on, so that its end comes to stand one place on.
  std::vector<unsigned> starts(rows_ + borders + 2, 0);
  const auto each = [&](Index s, const auto& visit) {
    for (int i = layouts[s].child_begin; i < layouts[s].child_end; ++i) {
      const LocalIndex child = fronts.children[i];
      for (Index k = fronts.border_starts[child]; k < fronts.border_starts[child + 1]; ++k) {
        visit(layouts[s].first_row() + fronts.in_parent[k], k);
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
DeviceArray<Item> FrontSweeps<T>::joined(const std::vector<std::vector<Item>>& lists,
                                         Range SweepPiece::*range) {
  std::vector<Item> all;
  for (std::size_t g = 0; g < pieces_.size(); ++g) {
    const Index first = static_cast<Index>(all.size());
    all.insert(all.end(), lists[g].begin(), lists[g].end());
    pieces_[g].*range = {first, static_cast<Index>(all.size())};
  }
  return DeviceArray<Item>(all);
}

template <typename T>
void FrontSweeps<T>::write_small(const DeviceLayout& all, const std::vector<int>& piece_of) {
  std::vector<std::vector<int>> lists(pieces_.size());
  for (Index i = 0; i < all.level_starts[all.low_levels]; ++i) {
    lists[piece_of[all.by_level[i]]].push_back(all.by_level[i]);
  }
  small_ = joined(lists, &SweepPiece::small);
}

template <typename T>
void FrontSweeps<T>::write_tasks(const DeviceLayout& all, const std::vector<int>& piece_of) {
  std::vector<LocalIndex> above(all.by_level.begin() + all.level_starts[all.low_levels],
                                all.by_level.end());
  for (std::size_t panel = all.by_level.size(); panel < all.fronts.size(); ++panel) {
    above.push_back(static_cast<LocalIndex>(panel));
    SweepPiece& piece = pieces_[piece_of[panel]];
    piece.panel = static_cast<int>(panel);
    piece.layout = all.fronts[panel];
  }
  std::vector<std::vector<SweepTask>> forward(pieces_.size()), backward(pieces_.size());
  for (const LocalIndex s : above) {
    const FrontLayout& front = all.fronts[s];
    const int tiles = tiles_of(front);
    auto& tasks = forward[piece_of[s]];
    if (tiles <= tiles_of_one_task) {
      tasks.push_back({s, 0, tiles});
      continue;
    }
    for (int tile = 0; tile < tiles; ++tile) tasks.push_back({s, tile, tile + 1});
  }
  for (std::size_t i = above.size(); i-- > 0;) {
    const LocalIndex s = above[i];
    const FrontLayout& front = all.fronts[s];
    auto& tasks = backward[piece_of[s]];
    if (tiles_of(front) <= tiles_of_one_task) {
      tasks.push_back({s, 0, front.blocks()});
      continue;
    }
    for (int block = front.blocks() - 1; block >= 0; --block) {
      tasks.push_back({s, block, block + 1});
    }
  }
  forward_ = joined(forward, &SweepPiece::forward);
  backward_ = joined(backward, &SweepPiece::backward);
  next_ = DeviceArray<int>(2 * static_cast<Index>(pieces_.size()));
}

template <typename T>
void FrontSweeps<T>::make_room(Index columns) {
  vectors_.grow((3 * rows_ + border_.size()) * columns);
  Index parts = 0;
  for (const SweepPiece& piece : pieces_) {
    if (piece.panel >= 0) parts = std::max(parts, elements_of_border_parts(piece.layout));
  }
  border_parts_.grow(parts * columns);
}

template <typename T>
void FrontSweeps<T>::begin(const FrontLayout* layouts, const T* factors, bool transposed,
                           int columns, cudaStream_t stream) {
  const Index size = rows_ * columns;
  T* const y = vectors_.data() + size;
  const auto set_bytes = [&](auto* from, int byte, Index count) {
    CUDA_CHECK(
        cudaMemsetAsync(from, byte, static_cast<std::size_t>(count) * sizeof(*from), stream));
  };
  set_bytes(next_.data(), 0, next_.size());
  set_bytes(y, 0xff, 2 * size + border_.size() * columns);
  forward_sweep_ = {.layouts = layouts,
                    .border = border_.data(),
                    .taken_starts = taken_starts_.data(),
                    .taken = taken_.data(),
                    .factors = factors,
                    .transposed = transposed,
                    .b = b(),
                    .x = y,
                    .contribution = y + 2 * size,
                    .next = nullptr,
                    .columns = columns};
  backward_sweep_ = forward_sweep_;
  backward_sweep_.b = y;
  backward_sweep_.x = y + size;
}

template <typename T>
void FrontSweeps<T>::forward(std::size_t piece, cudaStream_t stream) {
  const SweepPiece& of = pieces_[piece];
  Sweep<T>& sweep = forward_sweep_;
  sweep.next = next_.data() + 2 * piece;
  sweep_small_forward(sweep, small_.data() + of.small.first, of.small.size(), stream);
  sweep_forward(sweep, forward_.data() + of.forward.first, of.forward.size(), stream);
}

template <typename T>
void FrontSweeps<T>::backward(std::size_t piece, cudaStream_t stream) {
  const SweepPiece& of = pieces_[piece];
  Sweep<T> sweep = backward_sweep_;
  sweep.next = next_.data() + 2 * piece + 1;
  if (of.panel >= 0) {
    // A panel has few blocks of pivots, each of which would go along the whole border by itself.
    // Its x is there: blocks after it, and other fronts, are other pieces.
    subtract_border(sweep, of.panel, of.layout, border_parts_.data(), forward_sweep_.x, stream);
    sweep.without_borders = true;
  }
  sweep_backward(sweep, backward_.data() + of.backward.first, of.backward.size(), stream);
  sweep_small_backward(sweep, small_.data() + of.small.first, of.small.size(), stream);
}

SPSOLVE_INSTANTIATE(class FrontSweeps)

}  // namespace spsolve::cuda::sparse
