#include "multiply/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace spsolve::inline multiply {

template <typename T>
ProductErrors compare_products(const Csr<T>& a, const T* x, const T* reference, const T* y,
                               Index k) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double roundoff = std::numeric_limits<T>::epsilon() / 2;
  constexpr double smallest = std::numeric_limits<T>::denorm_min();
  double largest = 0, scaled = 0, sum = 0;
  Index longest = 0;
#pragma omp parallel reduction(max : largest, scaled, longest) reduction(+ : sum)
  {
    std::vector<double> magnitude(static_cast<std::size_t>(k));  // row i of |A| |X|
#pragma omp for schedule(static)
    for (Index i = 0; i < a.rows; ++i) {
      const Index length = a.row_offsets[i + 1] - a.row_offsets[i];
      longest = std::max(longest, length);
      std::fill(magnitude.begin(), magnitude.end(), 0.0);
      for (Index p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
        const double value = std::abs(static_cast<double>(a.values[p]));
        const T* x_row = x + a.column_indices[p] * k;
        for (Index c = 0; c < k; ++c)
          magnitude[c] += value * std::abs(static_cast<double>(x_row[c]));
      }
      for (Index c = 0; c < k; ++c) {
        const double r = static_cast<double>(reference[i * k + c]);
        const double v = static_cast<double>(y[i * k + c]);
        const double distance = std::abs(v - r);
        if (!std::isfinite(distance)) {  // where either is not finite, the same or not
          largest = scaled = sum = infinity;
          continue;
        }
        if (v == r) continue;
        const double relative = distance / std::max(std::abs(v), std::abs(r));
        largest = std::max(largest, relative);
        sum += relative;
        // Products that underflow are off by up to half of the smallest number each.
        const double excess = distance - smallest * static_cast<double>(length);
        if (excess > 0) scaled = std::max(scaled, excess / magnitude[c]);
      }
    }
  }
  ProductErrors errors;
  errors.largest = largest;
  errors.scaled = scaled;
  const Index elements = a.rows * k;
  errors.mean = elements == 0 ? 0.0 : sum / static_cast<double>(elements);
  errors.roundoff = roundoff;
  errors.epsilon = 2 * roundoff;
  errors.bound = static_cast<double>(longest + 2) * roundoff;
  return errors;
}

SPSOLVE_INSTANTIATE_FUNCTION(compare_products)

}  // namespace spsolve::multiply
