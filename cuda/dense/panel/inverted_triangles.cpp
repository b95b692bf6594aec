#include "cuda/dense/panel/inverted_triangles.hpp"

#include <algorithm>

#include "cuda/dense/panel/panel_kernels.hpp"
#include "cuda/dense/panel/panel_lu.hpp"
#include "cuda/dense/products/device_blas.hpp"
#include "cuda/dense/streams/row_kernels.hpp"

namespace spsolve::cuda::inline dense {

namespace {

/// Entries of an inverse above this cost digits that substitution keeps. Entries of that of a
/// random matrix of order 3000 stay below 3 for up to 1024 columns.
constexpr double largest_usable = 1000;

constexpr unsigned long long unknown = ~0ull;

}  // namespace

template <typename T>
InvertedTriangles<T>::InvertedTriangles(const CublasHandle& blas, const Stream& stream, Index width)
    : blas_(blas),
      stream_(stream),
      width_(width),
      inverses_(width * width),
      largest_(1),
      largest_heard_(1) {
  forget();
}

template <typename T>
std::int64_t InvertedTriangles<T>::bytes(Index width) {
  return width * width * static_cast<std::int64_t>(sizeof(T));
}

template <typename T>
void InvertedTriangles<T>::forget() {
  *largest_heard_.data() = unknown;
}

template <typename T>
void InvertedTriangles<T>::begin(Index width) {
  forget();
  triangles_.clear();
  columns_ = width;
  for (Index first = 0; width - first > small_triangle;) {
    const Index last = first + half_by_triangles(width - first);
    triangles_.push_back({first, last});
    first = last;
  }
}

template <typename T>
void InvertedTriangles<T>::follow(Index last, const T* l, Index stride, cudaStream_t from) {
  const auto ends = [&](Range triangle) { return triangle.last == last; };
  const auto found = std::ranges::find_if(triangles_, ends);
  if (found == triangles_.end()) return;
  final_.record(from);
  final_.hold(stream_);
  const auto [first, size] = std::pair{found->first, found->size()};
  if (first == 0) {
    used_.hold(stream_);
    CUDA_CHECK(cudaMemsetAsync(largest_.data(), 0, sizeof(unsigned long long), stream_.get()));
  }
  T* const inverse = inverses_.data() + first * (width_ + 1);
  set_identity(inverse, width_, size, stream_.get());
  solve_unit_lower_by_halves(blas_, size, size, l + first * (stride + 1), stride, inverse, width_,
                             stream_.get());
  find_largest(inverse, width_, size, size, false, largest_.data(), stream_.get());
}

template <typename T>
void InvertedTriangles<T>::finish(cudaStream_t stream) {
  if (triangles_.empty()) return;
  made_.record(stream_);
  made_.hold(stream);
  CUDA_CHECK(cudaMemcpyAsync(largest_heard_.data(), largest_.data(), sizeof(unsigned long long),
                             cudaMemcpyDeviceToHost, stream));
}

template <typename T>
bool InvertedTriangles<T>::usable() const {
  const unsigned long long key = *largest_heard_.data();
  return key != unknown && magnitude_of_key(key, T{}) <= largest_usable;
}

template <typename T>
void InvertedTriangles<T>::solve(const CublasHandle& its_blas, const Stream& stream, Index columns,
                                 const T* l, Index l_stride, T* b, T* x, Index stride) const {
  Index done = 0;
  for (const auto& [first, last] : triangles_) {
    form_product(its_blas, last - first, columns, last - first,
                 inverses_.data() + first * (width_ + 1), width_, b + first * stride, stride,
                 x + first * stride, stride);
    subtract_product(its_blas, columns_ - last, columns, last - first, l + last * l_stride + first,
                     l_stride, x + first * stride, stride, b + last * stride, stride);
    done = last;
  }
  solve_unit_lower_small(static_cast<int>(columns_ - done), columns, l + done * (l_stride + 1),
                         l_stride, b + done * stride, x + done * stride, stride, stream.get());
  used_.record(stream);
}

SPSOLVE_INSTANTIATE(class InvertedTriangles)

}  // namespace spsolve::cuda::dense
