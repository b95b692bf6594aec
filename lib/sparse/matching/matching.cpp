#include "sparse/matching/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "sparse/matching/assignment.hpp"
#include "sparse/matching/permutation.hpp"

namespace spsolve::inline sparse {

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
void balance_magnitudes(const Csr<double>& matrix, std::vector<double>& u, std::vector<double>& v) {
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
  if (largest > largest_exponent) balance_magnitudes(matrix, u, v);
  matching.rank = n - static_cast<LocalIndex>(matching.unmatched_rows.size());
  matching.row_of_column.resize(n);
  matching.rows.resize(n);
  matching.columns.resize(n);
  matching.symmetric.resize(n);
  for (LocalIndex i = 0; i < n; ++i) {
    matching.row_of_column[i] = assignment.row_of(i);
    matching.rows[i] = row_factor(u[i]);
    matching.columns[i] = column_factor(v[i]);
    matching.symmetric[i] = (u[i] + v[i]) / 2;
  }
  complete_permutation(matching.row_of_column);
  return matching;
}

MaximumProductMatching maximum_matching(const Csr<double>& matrix) {
  Csr<double> pattern = matrix;
  for (double& value : pattern.values) value = value == 0 ? 0 : 1;
  return maximum_product_matching(pattern);
}

}  // namespace spsolve::sparse
