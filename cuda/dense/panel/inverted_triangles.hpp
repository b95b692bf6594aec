#pragma once

#include <vector>

#include "core/types.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"

namespace spsolve::cuda::inline dense {

/// Inverses of unit lower triangles on the diagonal of a panel's L: of the left half of its
/// columns, of the left half of the others, and so on down to small_triangle columns. They are made
/// concurrently with the panel's elimination, as its columns become final, so that after it U =
/// L^-1 B takes a product for each triangle where substitution takes a launch for every
/// small_triangle columns, one after the other (Du Croz and Higham, Stability of methods for matrix
/// inversion, IMA J. Numer. Anal. 12, 1992: as accurate as substitution where entries of the
/// inverse are not large).
template <typename T>
class InvertedTriangles {
 public:
  /// Room for panels of at most `width` columns. Works on `stream`, which `blas` must be set to.
  InvertedTriangles(const CublasHandle& blas, const Stream& stream, Index width);

  static std::int64_t bytes(Index width);

  /// Forgets the inverses of the panel before; the next one has `width` columns.
  void begin(Index width);
  void forget();

  /// Where the columns of a panel up to `last` are final on `from`: starts to invert the triangle
  /// that ends there, if one does. `l` is the panel's first pivot.
  void follow(Index last, const T* l, Index stride, cudaStream_t from);

  /// Whatever is launched on `stream` after this waits for all inverses; and whether they are
  /// usable is known to the host when it has waited for that.
  void finish(cudaStream_t stream);

  /// Whether they were made, and no entry is too large.
  bool usable() const;

  /// X <- L^-1 B for B and X of width x columns, both with `stride`; what B holds is lost. On
  /// `stream`, which `its_blas` is set to.
  void solve(const CublasHandle& its_blas, const Stream& stream, Index columns, const T* l,
             Index l_stride, T* b, T* x, Index stride) const;

 private:
  const CublasHandle& blas_;
  const Stream& stream_;
  Index width_;
  DeviceArray<T> inverses_;       // width_ x width_: each in the place of its triangle
  std::vector<Range> triangles_;  // of the present panel
  Index columns_ = 0;             // of the present panel
  DeviceArray<unsigned long long> largest_;
  PinnedArray<unsigned long long> largest_heard_;
  Event final_;         // columns are
  Event made_;          // inverses are
  mutable Event used_;  // by the last solve()
};

}  // namespace spsolve::cuda::dense
