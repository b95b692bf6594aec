#pragma once

#include <algorithm>
#include <vector>

#include "apps/bench/sparse/sparse_contender.hpp"

namespace spsolve::bench {

/// The common part of peers: right-hand sides and solutions column by column, 32-bit pattern.
class ColumnwisePeer : public SparseContender {
 public:
  void set_right_hand_sides(const Dense<double>& b) override {
    columns_ = b.columns;
    b_.resize(static_cast<std::size_t>(b.rows * b.columns));
    for (Index c = 0; c < b.columns; ++c) {
      for (Index i = 0; i < b.rows; ++i) b_[c * b.rows + i] = b(i, c);
    }
    x_.assign(b_.size(), 0.0);
  }

  Dense<double> solution() const override { return in_rows(x_); }

 protected:
  /// Solutions that stand column by column.
  Dense<double> in_rows(const std::vector<double>& found) const {
    const auto rows = static_cast<Index>(found.size()) / std::max<Index>(columns_, 1);
    Dense<double> x(rows, columns_);
    for (Index c = 0; c < columns_; ++c) {
      for (Index i = 0; i < rows; ++i) x(i, c) = found[c * rows + i];
    }
    return x;
  }

  Index columns_ = 0;
  std::vector<double> b_, x_;
};

/// The pattern of a matrix, or of its part on one side of the diagonal, in the int of libraries,
/// with the values in the same order.
struct IntRows {
  enum class Triangle { all, lower, upper };

  /// `base`: the number of the first row and column. `diagonal`: entries a_ii = 0 are added where
  /// they are missing.
  IntRows(const Csr<double>& matrix, Triangle part, int base = 0, bool diagonal = false) {
    offsets.push_back(base);
    for (Index i = 0; i < matrix.rows; ++i) {
      bool has_diagonal = !diagonal;
      const auto add = [&](Index column, Index from) {
        columns.push_back(static_cast<int>(column) + base);
        source.push_back(from);
      };
      for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
        const Index j = matrix.column_indices[k];
        if (!has_diagonal && j >= i) {
          if (j > i) add(i, -1);
          has_diagonal = true;
        }
        if ((part == Triangle::lower && j > i) || (part == Triangle::upper && j < i)) continue;
        add(j, k);
      }
      if (!has_diagonal) add(i, -1);
      offsets.push_back(static_cast<int>(columns.size()) + base);
    }
    set_values(matrix.values);
  }

  void set_values(std::span<const double> all) {
    values.resize(source.size());
    for (std::size_t k = 0; k < source.size(); ++k) values[k] = source[k] < 0 ? 0 : all[source[k]];
  }

  std::vector<int> offsets, columns;
  std::vector<Index> source;  // of each entry in the matrix; -1: none
  std::vector<double> values;
};

/// "" or why a library with 32-bit offsets cannot hold the matrix.
inline std::string more_than_int(const SparseSystem& system) {
  const bool fits = system.matrix.nonzeros() + system.order < Index{1} << 31;
  return fits ? "" : "it counts non-zeros with 32 bits";
}

}  // namespace spsolve::bench
