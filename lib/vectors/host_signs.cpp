// Operations that searches for the norms of operators ask of vectors in host memory.

#include <cmath>
#include <functional>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::inline vectors {

void HostVectors::own_take_signs(const Vectors& y, std::span<double> sums,
                                 std::span<double> changes) {
  const Index k = columns();
  const double* const theirs = on_host(y).row(0);
  double* const mine = row(0);
  std::vector<double> both(static_cast<std::size_t>(2 * k));
  over_blocks(
      height(), both,
      [=](Index first, Index last, double* block) {
        for (Index c = 0; c < k; ++c) {
          double sum = 0;
          Index changed = 0;
          for (Index at = first * k + c; at < last * k; at += k) {
            const double size = std::abs(mine[at]);
            const bool is_negative = theirs[at] < 0;
            sum += size * std::abs(theirs[at]);
            changed += std::signbit(mine[at]) != is_negative ? 1 : 0;
            mine[at] = is_negative ? -size : size;
          }
          block[c] = sum;
          block[k + c] = static_cast<double>(changed);
        }
      },
      std::plus<>());
  std::copy_n(both.begin(), k, sums.begin());
  std::copy_n(both.begin() + k, k, changes.begin());
}

void HostVectors::own_rows_from_first(std::span<const double> magnitudes,
                                      std::span<double> left) const {
  const Index k = columns(), rows = height();
  const double* const mine = row(0);
  over_blocks(
      rows, left,
      [&](Index first, Index last, double* block) {
        for (Index c = 0; c < k; ++c) {
          Index i = first;
          while (i < last && std::abs(mine[i * k + c]) != magnitudes[c]) ++i;
          block[c] = i < last ? static_cast<double>(rows - i) : 0.0;
        }
      },
      [](double a, double b) { return larger(a, b); });
}

void HostVectors::take_largest(const Vectors& y, const Vectors& z) {
  const Index k = y.columns();
  const double *const first = on_host(y).row(0), *const second = on_host(z).row(0);
  double* const mine = row(0);
#pragma omp parallel for schedule(static) if (worth_threads(height() * k))
  for (Index i = 0; i < height(); ++i) {
    double largest = 0;
    for (Index c = 0; c < k; ++c) {
      largest = larger(largest, std::abs(first[i * k + c]) + std::abs(second[i * k + c]));
    }
    mine[i] = largest;
  }
}

}  // namespace spsolve::vectors
