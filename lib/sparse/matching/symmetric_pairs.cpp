#include "sparse/matching/symmetric_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace spsolve::inline sparse {

namespace {

/// The entries of a symmetric matrix with scale factors.
class ScaledEntries {
 public:
  ScaledEntries(const Csr<double>& matrix, const std::vector<double>& scale)
      : matrix_(matrix), scale_(scale) {}

  /// s_i a_ij s_j, 0 where it is not stored.
  double at(LocalIndex i, LocalIndex j) const {
    const auto columns = matrix_.row_columns(i);
    const auto found = std::lower_bound(columns.begin(), columns.end(), j);
    if (found == columns.end() || *found != j) return 0;
    return matrix_.row_values(i)[found - columns.begin()] * (scale_[i] * scale_[j]);
  }

  /// The magnitude of the determinant of rows and columns i and j.
  double determinant(LocalIndex i, LocalIndex j) const {
    const double off = at(i, j);
    return std::abs(at(i, i) * at(j, j) - off * off);
  }

 private:
  const Csr<double>& matrix_;
  const std::vector<double>& scale_;
};

/// Where the pairs of a cycle of two rows or more begin: its rows from there on, and around, are
/// taken two by two.
std::size_t first_of_pairs(std::span<const LocalIndex> cycle, const ScaledEntries& entries) {
  const std::size_t length = cycle.size();
  if (length == 2) return 0;
  if (length % 2 == 1) {
    std::size_t alone = 0;
    double largest = -1;
    for (std::size_t k = 0; k < length; ++k) {
      const double diagonal = std::abs(entries.at(cycle[k], cycle[k]));
      if (diagonal <= largest) continue;
      largest = diagonal;
      alone = k;
    }
    return alone + 1;
  }
  constexpr double none = std::numeric_limits<double>::infinity();
  double least[] = {none, none};
  for (std::size_t k = 0; k < length; ++k) {
    double& of_cut = least[k % 2];
    of_cut = std::min(of_cut, entries.determinant(cycle[k], cycle[(k + 1) % length]));
  }
  return least[1] > least[0] ? 1 : 0;
}

std::vector<double> powers_below(const std::vector<double>& logarithms) {
  constexpr double most = 1000;
  std::vector<double> powers(logarithms.size());
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const double exponent = std::clamp(std::floor(logarithms[i]), -most, most);
    powers[i] = std::ldexp(1.0, static_cast<int>(exponent));
  }
  return powers;
}

}  // namespace

SymmetricPairs symmetric_pairs(const Csr<double>& matrix, const MaximumProductMatching& matching) {
  const auto n = static_cast<LocalIndex>(matching.row_of_column.size());
  SymmetricPairs pairs;
  pairs.scale = powers_below(matching.symmetric);
  pairs.mate.resize(n);
  std::iota(pairs.mate.begin(), pairs.mate.end(), 0);
  const ScaledEntries entries(matrix, pairs.scale);
  std::vector<char> unmatched(n, 0), seen(n, 0);
  for (const LocalIndex column : matching.unmatched_columns) unmatched[column] = 1;
  std::vector<LocalIndex> cycle;
  for (LocalIndex first = 0; first < n; ++first) {
    cycle.clear();
    bool whole = true;  // all of its entries are matched
    for (LocalIndex j = first; !seen[j]; j = matching.row_of_column[j]) {
      seen[j] = 1;
      whole = whole && !unmatched[j];
      cycle.push_back(j);
    }
    const std::size_t length = cycle.size();
    if (length < 2 || !whole) continue;
    const std::size_t start = first_of_pairs(cycle, entries);
    for (std::size_t k = 0; k + 1 < length; k += 2) {
      const LocalIndex a = cycle[(start + k) % length], b = cycle[(start + k + 1) % length];
      pairs.mate[a] = b;
      pairs.mate[b] = a;
      ++pairs.count;
    }
  }
  return pairs;
}

}  // namespace spsolve::sparse
