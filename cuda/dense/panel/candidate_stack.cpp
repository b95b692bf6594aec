#include "cuda/dense/panel/candidate_stack.hpp"

#include <algorithm>
#include <numeric>

namespace spsolve::cuda {

template <typename T>
CandidateStack<T>::CandidateStack(DenseStreams& streams, Index max_width,
                                  InvertedTriangles<T>& inverses)
    : streams_(streams),
      max_width_(max_width),
      inverses_(inverses),
      factors_(max_width * max_width),
      heard_factors_{PinnedArray<T>(max_width * max_width), PinnedArray<T>(max_width * max_width)} {
}

template <typename T>
std::span<T> CandidateStack<T>::candidate_buffer(Index size) {
  candidates_.grow(size);
  return {candidates_.data(), static_cast<std::size_t>(size)};
}

template <typename T>
void CandidateStack<T>::start(Index width, std::span<const T> candidates,
                              std::span<const Index> counts) {
  const Stream& stream = streams_.panels;
  if (!lu_) {
    const Index most_rows = static_cast<Index>(counts.size()) * max_width_;
    stack_.grow(most_rows * max_width_);
    lu_.emplace(most_rows, max_width_);
  }
  T* next = stack_.data();
  const T* block = candidates.data();
  for (const Index count : counts) {
    copy_rows(next, width, block, width, count, width, stream);
    next += count * width;
    block += width * width;
  }
  const Index rows = std::accumulate(counts.begin(), counts.end(), Index{0});
  lu_->start(streams_.panel_blas, stream.get(),
             {stack_.data(), width, rows, width, Pivoting::tournament}, {1, &inverses_});
  lu_->go_on();  // without the inverses of the panel before
  copy_rows(factors_.data(), width, stack_.data(), width, width, width, stream);
}

template <typename T>
void CandidateStack<T>::finish(Index width, std::span<Index> order) {
  std::vector<Index> swaps(static_cast<std::size_t>(width));
  lu_->finish(swaps);
  for (Index i = 0; i < width; ++i) std::swap(order[i], order[swaps[i]]);
  // Only now: it takes as long as the host takes to find out which rows of its own were elected.
  turn_ = 1 - turn_;
  const auto size = static_cast<std::size_t>(width * width);
  CUDA_CHECK(cudaMemcpyAsync(heard_factors_[turn_].data(), factors_.data(), size * sizeof(T),
                             cudaMemcpyDeviceToHost, streams_.panels.get()));
}

template <typename T>
void CandidateStack<T>::set_factors(std::span<const T> factors) {
  std::copy(factors.begin(), factors.end(), heard_factors_[turn_].data());
  CUDA_CHECK(cudaMemcpyAsync(factors_.data(), heard_factors_[turn_].data(), factors.size_bytes(),
                             cudaMemcpyHostToDevice, streams_.panels.get()));
}

template <typename T>
std::span<const T> CandidateStack<T>::factors(Index width) const {
  return {heard_factors_[turn_].data(), static_cast<std::size_t>(width * width)};
}

template class CandidateStack<float>;
template class CandidateStack<double>;

}  // namespace spsolve::cuda
