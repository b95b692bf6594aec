#include "matrix/symmetry.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "core/names/row_names.hpp"

namespace spsolve::inline matrix {

namespace {

/// a_ij, or 0 where that is not stored.
template <typename T>
T value_at(const Csr<T>& matrix, Index i, Index j) {
  const auto columns = matrix.row_columns(i);
  const auto place = std::lower_bound(columns.begin(), columns.end(), j);
  return place == columns.end() || *place != j ? T(0)
                                               : matrix.row_values(i)[place - columns.begin()];
}

/// Whether a square matrix is symmetric but for rounding.
template <typename T>
bool within_rounding(const Csr<T>& matrix, const std::vector<char>& alone) {
  const bool threads = matrix.nonzeros() > 1 << 14;
  std::vector<T> roots(static_cast<std::size_t>(matrix.rows));  // of the rows' largest magnitudes
#pragma omp parallel for schedule(static) if (threads)
  for (Index i = 0; i < matrix.rows; ++i) {
    T largest = 0;
    for (const T value : matrix.row_values(i)) largest = std::max(largest, std::abs(value));
    roots[i] = std::sqrt(largest);
  }
  bool within = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : within) if (threads)
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto values = matrix.row_values(i);
    for (std::size_t k = 0; k < columns.size() && within; ++k) {
      if (!alone.empty() && alone[columns[k]]) continue;
      const T apart = std::abs(values[k] - value_at(matrix, columns[k], i));
      within = apart <= rounding_of_mirrors<T> * roots[i] * roots[columns[k]];
    }
  }
  return within;
}

}  // namespace

std::vector<char> rows_alone(const Csr<double>& matrix) {
  std::vector<char> alone(static_cast<std::size_t>(matrix.rows));
  bool any = false;
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    alone[i] = columns.size() == 1 && columns.front() == i;
    any = any || alone[i];
  }
  for (Index i = 0; i < matrix.rows && any; ++i) {
    if (alone[i]) continue;
    for (const LocalIndex j : matrix.row_columns(i)) {
      if (alone[j]) return alone;
    }
  }
  return {};
}

template <typename T>
SymmetryFacts symmetry_of(const Csr<T>& matrix, const std::vector<char>& alone) {
  if (matrix.rows != matrix.columns) return {};
  const bool threads = matrix.nonzeros() > 1 << 14;
  bool symmetric = true, skew = true, positive = true;
  Index zeros = 0, excess = 0;       // entries below the diagonal less those above
  std::atomic<bool> pattern = true;  // read by all threads, which stop once it is false
#pragma omp parallel if (threads) reduction(&& : symmetric, skew, positive) reduction(+ : zeros, excess)
#pragma omp for schedule(dynamic, 1024)
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    const auto values = matrix.row_values(i);
    std::size_t k = 0;
    for (; k < columns.size() && columns[k] < i; ++k) {
      if (!pattern.load(std::memory_order_relaxed)) break;
      if (!alone.empty() && alone[columns[k]]) {
        --excess;
        continue;
      }
      const auto mirrored = matrix.row_columns(columns[k]);
      const auto place = std::lower_bound(mirrored.begin(), mirrored.end(), i);
      if (place == mirrored.end() || *place != i) {
        pattern.store(false, std::memory_order_relaxed);
        break;
      }
      const T mirror = matrix.row_values(columns[k])[place - mirrored.begin()];
      symmetric = symmetric && values[k] == mirror;
      skew = skew && values[k] == -mirror;
    }
    const auto diagonal = std::lower_bound(columns.begin() + k, columns.end(), i);
    const bool stored = diagonal != columns.end() && *diagonal == i;
    const T value = stored ? values[diagonal - columns.begin()] : T(0);
    positive = positive && value > 0;
    symmetric = symmetric && value == value;
    skew = skew && value == 0;
    zeros += value == 0;
    excess += (diagonal - columns.begin()) - (columns.end() - diagonal - stored);
    for (auto above = diagonal + stored; !alone.empty() && above != columns.end(); ++above) {
      excess += alone[*above];
    }
  }
  SymmetryFacts facts;
  facts.symmetric_pattern = pattern && excess == 0;
  facts.symmetric = facts.symmetric_pattern && symmetric;
  facts.skew_symmetric = facts.symmetric_pattern && skew;
  facts.positive_diagonal = positive;
  facts.zero_diagonals = zeros;
  facts.nearly_symmetric = facts.symmetric || within_rounding(matrix, alone);
  return facts;
}

Mirrors mirrors_inside(const Csr<double>& matrix, const SymmetryFacts& facts) {
  if (facts.mirrors() != Mirrors::differ) return facts.mirrors();
  const std::vector<char> alone = rows_alone(matrix);
  if (alone.empty()) return Mirrors::differ;
  const SymmetryFacts inside = symmetry_of(matrix, alone);
  return inside.symmetric_pattern ? inside.mirrors() : Mirrors::differ;
}

template <typename T>
MirrorPair furthest_from_symmetric(const Csr<T>& matrix) {
  MirrorPair furthest;
  double most = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double value = matrix.row_values(i)[k], mirror = value_at(matrix, columns[k], i);
      const double apart = std::abs(value - mirror);
      if (apart <= most) continue;  // not where it is nan
      furthest = {i, columns[k], value, mirror};
      most = apart;
      if (std::isnan(most)) return furthest;
    }
  }
  return furthest;
}

std::string to_text(const MirrorPair& pair) {
  const Index i = RowNames::told(pair.row), j = RowNames::told(pair.column);
  if (RowNames::parts() == 1) {
    return fmt::format("a({}, {}) = {} and a({}, {}) = {} (numbered from 1)", i, j, pair.value, j,
                       i, pair.mirror);
  }
  // Above the diagonal of a block the imaginary part has the opposite sign (real_form.hpp).
  const bool real = (pair.row - pair.column) % 2 == 0, above = pair.row % 2 == 0;
  const char* const part = real ? "Re" : "Im";
  return fmt::format("{} a({}, {}) = {} and {} a({}, {}) = {} (numbered from 1)", part, i, j,
                     real || !above ? pair.value : -pair.value, part, j, i,
                     real || above ? pair.mirror : -pair.mirror);
}

SPSOLVE_INSTANTIATE_FUNCTION(symmetry_of)
SPSOLVE_INSTANTIATE_FUNCTION(furthest_from_symmetric)

}  // namespace spsolve::matrix
