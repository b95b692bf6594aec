#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/types.hpp"
#include "matrix/real_form.hpp"
#include "matrix/scaled_rows.hpp"

namespace spsolve::inline dense {

/// Memory without values, aligned to a cache line, freed with the object. Throws std::bad_alloc.
template <typename T>
class RawArray {
 public:
  RawArray() = default;
  explicit RawArray(Index size);

  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }

 private:
  struct Free {
    void operator()(T* memory) const;
  };
  std::unique_ptr<T[], Free> values_;
};

/// The leading dimension for dense rows of `columns` values: whole cache lines, and one more where
/// rows would lie a multiple of 4096 bytes apart, so that a column does not crowd into one set of
/// the cache.
template <typename T>
Index padded_stride(Index columns);

/// max |value|, by pivot_size() where they are complex; infinite where one is not finite: only 0
/// times a finite number is 0.
template <typename T>
double largest_of(const T* values, Index count) {
  Real<T> largest{};
  Real<T> zero{};
#pragma omp simd reduction(max : largest) reduction(+ : zero)
  for (Index j = 0; j < count; ++j) {
    const Real<T> size = pivot_size(values[j]);
    largest = std::max(largest, size);
    zero += Real<T>{} * size;
  }
  return zero == Real<T>{} ? static_cast<double>(largest) : std::numeric_limits<double>::infinity();
}

/// Rows of the sparse matrix to a dense row of T: a complex matrix comes as its real form.
template <typename T>
inline constexpr Index rows_of_row = is_complex<T> ? complex_parts : 1;

/// Writes the dense form of `sparse` into rows of `stride` values, zeros included. The thread that
/// will work on a row under a static schedule touches it first, which places it near that thread.
template <typename T>
void fill_dense_rows(const ScaledRows& sparse, T* rows, Index stride);

}  // namespace spsolve::dense
