#include "sparse/matching/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "sparse/matching/assignment.hpp"
#include "sparse/matching/permutation.hpp"

namespace spsolve {

namespace {

constexpr double largest_exponent = 1000;

Assignment assignment_of(const Csr<double>& matrix) {
  if (matrix.rows != matrix.columns) {
    fail(ExitCode::internal, "a matching of all rows of a {} x {} matrix", matrix.rows,
         matrix.columns);
  }
  return Assignment(matrix);
}

double power_of_two(double exponent) {
  return std::ldexp(1.0,
                    static_cast<int>(std::clamp(exponent, -largest_exponent, largest_exponent)));
}

// To the nearest power of two; halves up for rows and down for columns, so that their product stays
// what it was where it is one.
double row_factor(double logarithm) {
  return power_of_two(std::floor(logarithm + 0.5));
}
double column_factor(double logarithm) {
  return power_of_two(std::ceil(logarithm - 0.5));
}

/// The sets of rows and columns that non-zeros connect: find(i) for row i, find(n + j) for column
/// j.
class Components {
 public:
  explicit Components(const Csr<double>& matrix)
      : parent_(static_cast<std::size_t>(matrix.rows + matrix.columns)) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
    for (Index i = 0; i < matrix.rows; ++i) {
      for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
        if (matrix.values[k] == 0) continue;
        const Index a = find(i), b = find(matrix.rows + matrix.column_indices[k]);
        parent_[std::max(a, b)] = std::min(a, b);
      }
    }
  }

  Index find(Index node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

 private:
  std::vector<Index> parent_;
};

/// u + t and v - t are potentials as well as u and v are, with a t for every component: one that
/// brings the largest |u| and |v| of each as near to 0 as they go.
void balance(const Csr<double>& matrix, std::vector<double>& u, std::vector<double>& v) {
  Components components(matrix);
  const Index n = matrix.rows;
  struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
  };
  std::vector<Extent> extents(static_cast<std::size_t>(2 * n));
  const auto widen = [&](Index node, double value) {
    Extent& extent = extents[components.find(node)];
    extent.low = std::min(extent.low, value);
    extent.high = std::max(extent.high, value);
  };
  for (Index i = 0; i < n; ++i) {
    widen(i, u[i]);
    widen(n + i, -v[i]);  // which t moves in the same direction
  }
  const auto middle = [&](Index node) {
    const Extent& extent = extents[components.find(node)];
    return (extent.low + extent.high) / 2;
  };
  for (Index i = 0; i < n; ++i) {
    u[i] -= middle(i);
    v[i] += middle(n + i);
  }
}

/// Folds the cycles of a matching into pairs.
class Folding {
 public:
  /// diagonal[i]: the logarithm of the scaled |a_ii|.
  Folding(const Csr<double>& matrix, const Assignment& assignment,
          const std::vector<double>& diagonal)
      : matrix_(matrix), diagonal_(diagonal), partner(diagonal.size(), -1) {
    const LocalIndex n = assignment.size();
    // Chains first: from a column that is not matched to a row that is not. They have an odd number
    // of members, as pairs alone would match one row more.
    for (LocalIndex i = 0; i < n; ++i) {
      if (assignment.row_of(i) >= 0) continue;
      members_.clear();
      for (LocalIndex k = i; k >= 0; k = assignment.column_of(k)) members_.push_back(k);
      pair_from(0);
    }
    for (LocalIndex i = 0; i < n; ++i) {
      if (partner[i] >= 0) continue;
      members_.clear();
      LocalIndex k = i;
      do {
        members_.push_back(k);
        k = assignment.column_of(k);
      } while (k != i);
      if (members_.size() % 2 == 1) {
        const auto alone = std::max_element(
            members_.begin(), members_.end(),
            [&](LocalIndex a, LocalIndex b) { return diagonal_[a] < diagonal_[b]; });
        pair_from(static_cast<std::size_t>(alone - members_.begin()) + 1);
      } else {
        pair_from(members_.size() > 2 && overlaps_from(1) > overlaps_from(0) ? 1 : 0);
      }
    }
  }

 private:
  LocalIndex member(std::size_t k) const { return members_[k % members_.size()]; }

  /// Makes pairs of neighbours, from member `first` round; one that is left over is alone.
  void pair_from(std::size_t first) {
    constexpr double round_off = 1e-9;
    for (const LocalIndex i : members_) partner[i] = i;
    for (std::size_t k = 0; k + 1 < members_.size(); k += 2) {
      const LocalIndex i = member(first + k), j = member(first + k + 1);
      if (diagonal_[i] + diagonal_[j] >= -round_off) continue;
      partner[i] = j;
      partner[j] = i;
    }
  }

  /// The sum over these pairs of the columns that both rows have as a share of those that one has.
  double overlaps_from(std::size_t first) const {
    double sum = 0;
    for (std::size_t k = 0; k < members_.size(); k += 2) {
      const auto a = matrix_.row_columns(member(first + k));
      const auto b = matrix_.row_columns(member(first + k + 1));
      std::size_t common = 0;
      for (auto p = a.begin(), q = b.begin(); p != a.end() && q != b.end();) {
        common += *p == *q;
        const bool next_p = *p <= *q, next_q = *q <= *p;
        p += next_p;
        q += next_q;
      }
      sum += static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
    }
    return sum;
  }

  const Csr<double>& matrix_;
  const std::vector<double>& diagonal_;
  std::vector<LocalIndex> members_;  ///< of the cycle or chain, in its order

 public:
  std::vector<LocalIndex> partner;
};

}  // namespace

MaximumProductMatching maximum_product_matching(const Csr<double>& matrix) {
  const Assignment assignment = assignment_of(matrix);
  const LocalIndex n = assignment.size();
  MaximumProductMatching matching;
  std::vector<double> u(n), v(n);
  double largest = 0;
  for (LocalIndex i = 0; i < n; ++i) {
    u[i] = assignment.row_potential(i);
    v[i] = assignment.column_potential(i);
    largest = std::max({largest, std::abs(u[i]), std::abs(v[i])});
    if (assignment.column_of(i) < 0) matching.unmatched_rows.push_back(i);
    if (assignment.row_of(i) < 0) matching.unmatched_columns.push_back(i);
  }
  if (largest > largest_exponent) balance(matrix, u, v);
  matching.rank = n - static_cast<LocalIndex>(matching.unmatched_rows.size());
  matching.row_of_column.resize(n);
  matching.rows.resize(n);
  matching.columns.resize(n);
  for (LocalIndex i = 0; i < n; ++i) {
    matching.row_of_column[i] = assignment.row_of(i);
    matching.rows[i] = row_factor(u[i]);
    matching.columns[i] = column_factor(v[i]);
  }
  complete_permutation(matching.row_of_column);
  return matching;
}

SymmetricMatching symmetric_matching(const Csr<double>& matrix) {
  const Assignment assignment = assignment_of(matrix);
  const LocalIndex n = assignment.size();
  SymmetricMatching matching;
  matching.scale.resize(n);
  std::vector<double> diagonal(n, -std::numeric_limits<double>::infinity());
  for (LocalIndex i = 0; i < n; ++i) {
    const double both = assignment.row_potential(i) + assignment.column_potential(i);
    matching.scale[i] = row_factor(both / 2);
    if (assignment.column_of(i) < 0) matching.unmatched.push_back(i);
    const auto columns = matrix.row_columns(i);
    const auto place = std::lower_bound(columns.begin(), columns.end(), i);
    if (place != columns.end() && *place == i) {
      diagonal[i] = both + std::log2(std::abs(matrix.row_values(i)[place - columns.begin()]));
    }
  }
  matching.rank = n - static_cast<LocalIndex>(matching.unmatched.size());
  matching.partner = Folding(matrix, assignment, diagonal).partner;
  return matching;
}

}  // namespace spsolve
