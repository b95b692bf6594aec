#include "cuda/dense/panel/candidate_merge.hpp"

#include <algorithm>
#include <numeric>

#include "core/tuning.hpp"
#include "dense/lu/panel_pivots.hpp"

namespace spsolve::cuda::inline dense {

namespace {

/// Rows of the longest stack of so many ranks.
Index most_rows(Index order, Index max_width, Index ranks) {
  return std::max(std::min(order, gpu_tuning.rows_searched_at_once), ranks * max_width);
}

}  // namespace

template <typename T>
CandidateMerge<T>::CandidateMerge(DenseStreams& streams, Index order, Index max_width,
                                  InvertedTriangles<T>& inverses)
    : streams_(streams),
      order_(order),
      max_width_(max_width),
      inverses_(inverses),
      factors_(max_width * max_width),
      heard_factors_{PinnedArray<T>(max_width * max_width), PinnedArray<T>(max_width * max_width)} {
}

template <typename T>
std::int64_t CandidateMerge<T>::bytes(Index order, Index max_width, int ranks) {
  const Index rows = most_rows(order, max_width, ranks);
  const Index block_rows =
      most_candidates(std::min(order, gpu_tuning.rows_searched_at_once), max_width, ranks);
  return ((1 + ranks) * block_rows + rows + max_width) * max_width *
             static_cast<std::int64_t>(sizeof(T)) +
         PanelLu<T>::bytes(rows, max_width);
}

template <typename T>
Candidates<T> CandidateMerge<T>::room_for(Index values_of_rank, int ranks) {
  candidates_.grow((1 + ranks) * values_of_rank);
  const auto block = static_cast<std::size_t>(values_of_rank);
  return {{}, {candidates_.data(), block}, {candidates_.data() + block, ranks * block}};
}

template <typename T>
void CandidateMerge<T>::start(Index width, Index block_rows, std::span<const T> candidates,
                              std::span<const Index> counts) {
  const Stream& stream = streams_.panels;
  if (!lu_) lu_.emplace(most_rows(order_, max_width_, std::ssize(counts)), max_width_);
  const Index rows = std::accumulate(counts.begin(), counts.end(), Index{0});
  const T* block = candidates.data();
  if (rows == block_rows * std::ssize(counts)) {
    merged_ = candidates_.data() + (block - candidates_.data());
  } else {
    gathered_.grow(rows * width);
    merged_ = gathered_.data();
    T* next = merged_;
    for (const Index count : counts) {
      copy_rows(next, width, block, width, count, width, stream);
      next += count * width;
      block += block_rows * width;
    }
  }
  lu_->start(streams_.panel_blas, stream.get(), {merged_, width, rows, width, Pivoting::tournament},
             {gpu_tuning.leaves_at_once, &inverses_});
}

template <typename T>
void CandidateMerge<T>::go_on(Index width) {
  lu_->go_on();
  copy_rows(factors_.data(), width, static_cast<const T*>(merged_), width, width, width,
            streams_.panels);
}

template <typename T>
void CandidateMerge<T>::finish(Index width, std::span<Index> numbers) {
  std::vector<Index> swaps(static_cast<std::size_t>(width));
  lu_->finish(swaps);
  for (Index i = 0; i < width; ++i) std::swap(numbers[i], numbers[swaps[i]]);
  // Only now: it takes as long as the host takes to find out which rows of its own were elected.
  turn_ = 1 - turn_;
  const auto size = static_cast<std::size_t>(width * width);
  CUDA_CHECK(cudaMemcpyAsync(heard_factors_[turn_].data(), factors_.data(), size * sizeof(T),
                             cudaMemcpyDeviceToHost, streams_.panels.get()));
}

template <typename T>
void CandidateMerge<T>::set_factors(std::span<const T> factors) {
  std::copy(factors.begin(), factors.end(), heard_factors_[turn_].data());
  CUDA_CHECK(cudaMemcpyAsync(factors_.data(), heard_factors_[turn_].data(), factors.size_bytes(),
                             cudaMemcpyHostToDevice, streams_.panels.get()));
}

template <typename T>
std::span<const T> CandidateMerge<T>::factors(Index width) const {
  return {heard_factors_[turn_].data(), static_cast<std::size_t>(width * width)};
}

SPSOLVE_INSTANTIATE(class CandidateMerge)

}  // namespace spsolve::cuda::dense
