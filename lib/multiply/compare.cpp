#include "multiply/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace spsolve::inline multiply {

namespace {

/// The changes of Y where the lower triangle serves for the upper one.
struct MirroredTerms {
  std::vector<double> sums;  ///< sum_j |a_ij - s_ij| |x_jc|, s_ij = a_ji above the diagonal
  Index longest = 0;         ///< row of s
};

template <typename T>
MirroredTerms mirrored_terms(const Csr<T>& a, const T* x, Index k, const MirroredBlock& block) {
  MirroredTerms terms;
  terms.sums.assign(static_cast<std::size_t>(a.rows * k), 0.0);
  std::vector<Index> lengths(static_cast<std::size_t>(a.rows));
  for (Index i = 0; i < a.rows; ++i) lengths[i] += a.row_offsets[i + 1] - a.row_offsets[i];
  const auto add = [&](Index i, Index column, double apart) {
    for (Index c = 0; c < k; ++c) {
      terms.sums[i * k + c] += apart * std::abs(static_cast<double>(x[column * k + c]));
    }
  };
  // The local column of row i, or -1 where no row names it.
  std::vector<Index> column_of(static_cast<std::size_t>(a.rows), -1);
  const auto row_of = [&](Index column) { return block.column(column) - block.first; };
  const auto is_inside = [&](Index row) { return row >= 0 && row < a.rows; };
  for (Index j = 0; j < a.columns; ++j) {
    if (is_inside(row_of(j))) column_of[row_of(j)] = j;
  }
  for (Index i = 0; i < a.rows; ++i) {
    const auto columns = a.row_columns(i);
    for (std::size_t p = 0; p < columns.size(); ++p) {
      const Index j = row_of(columns[p]);
      if (!is_inside(j) || j == i) continue;
      const auto there = a.row_columns(j);
      const auto place = std::lower_bound(there.begin(), there.end(), column_of[i]);
      const bool stored = place != there.end() && *place == column_of[i];
      const double value = static_cast<double>(a.row_values(i)[p]);
      if (j > i) {
        const double mirror =
            stored ? static_cast<double>(a.row_values(j)[place - there.begin()]) : 0.0;
        if (value != mirror) add(i, columns[p], std::abs(value - mirror));
      } else if (!stored && column_of[i] >= 0) {
        add(j, column_of[i], std::abs(value));
        ++lengths[j];
      }
    }
  }
  for (const Index length : lengths) terms.longest = std::max(terms.longest, length);
  return terms;
}

}  // namespace

template <typename T>
ProductErrors compare_products(const Csr<T>& a, const T* x, const T* reference, const T* y, Index k,
                               const MirroredBlock* mirrored) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double roundoff = std::numeric_limits<T>::epsilon() / 2;
  constexpr double smallest = std::numeric_limits<T>::denorm_min();
  const MirroredTerms terms =
      mirrored != nullptr ? mirrored_terms(a, x, k, *mirrored) : MirroredTerms{};
  double largest = 0, scaled = 0, sum = 0, apart = 0;
  Index longest = terms.longest;
#pragma omp parallel reduction(max : largest, scaled, longest, apart) reduction(+ : sum)
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
      for (Index c = 0; mirrored != nullptr && c < k; ++c) {
        if (const double more = terms.sums[i * k + c]; more > 0) {
          apart = std::max(apart, more / magnitude[c]);
        }
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
  errors.bound = static_cast<double>(longest + 2) * roundoff + apart;
  return errors;
}

SPSOLVE_INSTANTIATE_FUNCTION(compare_products)

}  // namespace spsolve::multiply
