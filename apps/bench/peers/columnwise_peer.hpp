#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/bench/sparse/solvers.hpp"
#include "core/error.hpp"
#include "matrix/real_form.hpp"
#include "process/shared_library.hpp"

/// Calls a function that a header declares, as LIBRARY has it: nothing is linked with it.
#define SPSOLVE_LOADED(LIBRARY, FUNCTION)                                               \
  (*[] {                                                                                \
    static auto* const found = loaded_function<decltype(FUNCTION)>(LIBRARY, #FUNCTION); \
    return found;                                                                       \
  }())

namespace spsolve::bench {

/// The library's function of that name; Error(resources) where it has none.
template <typename Function>
Function* loaded_function(SharedLibrary& library, const char* name) {
  if (auto* const found = library.function<Function>(name)) return found;
  fail(ExitCode::resources, "{}", library.problem());
}

/// The part of a matrix that a library takes, and how.
struct TakenRows {
  enum class Triangle { all, lower, upper };
  Triangle part = Triangle::all;
  int base = 0;             ///< the number of the first row and column
  bool diagonal = false;    ///< entries a_ii = 0 are added where they are missing
  bool conjugated = false;  ///< conj(A), which is A^T of a Hermitian A
};

/// The pattern of a matrix, or of its part on one side of the diagonal, in the integers of
/// libraries, with the values in the same order.
template <typename Int>
struct PeerRows {
  using Triangle = TakenRows::Triangle;

  PeerRows() = default;

  /// Of a real form, as `parts` tells, the complex matrix: two values to an entry, re and im.
  PeerRows(const Csr<double>& matrix, const TakenRows& taken, Index parts = 1)
      : parts_(parts), imaginary_sign_(taken.conjugated ? 1 : -1) {
    const Triangle part = taken.part;
    offsets.push_back(taken.base);
    for (Index i = 0; i < matrix.rows / parts; ++i) {
      bool has_diagonal = !taken.diagonal;
      const auto add = [&](Index column, Index from) {
        columns.push_back(static_cast<Int>(column) + taken.base);
        source_.push_back(from);
      };
      const auto [first, end] =
          std::pair(matrix.row_offsets[parts * i], matrix.row_offsets[parts * i + 1]);
      for (Index k = first; k < end; k += parts) {
        const Index j = matrix.column_indices[k] / parts;
        if (!has_diagonal && j >= i) {
          if (j > i) add(i, -1);
          has_diagonal = true;
        }
        if ((part == Triangle::lower && j > i) || (part == Triangle::upper && j < i)) continue;
        add(j, k);
      }
      if (!has_diagonal) add(i, -1);
      offsets.push_back(static_cast<Int>(columns.size()) + taken.base);
    }
    set_values(matrix.values);
  }

  /// New values of the matrix that this was made of.
  void set_values(std::span<const double> all) {
    values.assign(static_cast<std::size_t>(parts_) * source_.size(), 0);
    for (std::size_t k = 0; k < source_.size(); ++k) {
      if (source_[k] < 0) continue;
      values[parts_ * k] = all[source_[k]];
      // The first row of a block is s and -t.
      if (parts_ > 1) values[parts_ * k + 1] = imaginary_sign_ * all[source_[k] + 1];
    }
  }

  std::vector<Int> offsets, columns;
  std::vector<double> values;

 private:
  Index parts_ = 1;
  double imaginary_sign_ = 1;
  std::vector<Index> source_;  // of each entry in the matrix; -1: none
};

using IntRows = PeerRows<int>;

/// The common part of direct peers: right-hand sides and solutions column by column, of complex
/// systems as pairs re and im; a pattern in 32 bits, figures.
class ColumnwisePeer : public SparseContender {
 public:
  ColumnwisePeer(const SparseSystem& system, const TakenRows& taken)
      : ColumnwisePeer(system, IntRows(system.matrix, taken, system.parts)) {}
  ColumnwisePeer(const SparseSystem& system, IntRows rows)
      : rows_(std::move(rows)), system_(system) {}
  ColumnwisePeer(const ColumnwisePeer&) = delete;
  ColumnwisePeer& operator=(const ColumnwisePeer&) = delete;

  void set_values(std::span<const double> values) override { rows_.set_values(values); }

  void set_right_hand_sides(const Dense<double>& b) override {
    columns_ = b.columns;
    b_.resize(static_cast<std::size_t>(b.rows * b.columns));
    for (Index c = 0; c < b.columns; ++c) {
      for (Index i = 0; i < b.rows; ++i) {
        const bool opposite = system_.conjugates && i % complex_parts == 1;
        b_[c * b.rows + i] = opposite ? -b(i, c) : b(i, c);
      }
    }
    x_.assign(b_.size(), 0.0);
  }

  Dense<double> solution() const override { return in_rows(x_); }
  FactorFigures figures() const override { return figures_; }

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

  IntRows rows_;
  const SystemKind system_;  ///< of the system as it was when this was made
  Index columns_ = 0;
  std::vector<double> b_, x_;
  FactorFigures figures_;
};

/// One right-hand side after another of an iteration in bands, as peers take them.
class ColumnwiseIteration : public IterativeContender {
 public:
  explicit ColumnwiseIteration(const IterativeSystem& system)
      : symmetric_(system.symmetric),
        tolerance_(system.tolerance),
        b_(system.b),
        x_(system.b.rows, system.b.columns) {}
  ColumnwiseIteration(const ColumnwiseIteration&) = delete;
  ColumnwiseIteration& operator=(const ColumnwiseIteration&) = delete;

  void solve() override {
    figures_ = {0, true, {}, {}};
    std::vector<double> column(static_cast<std::size_t>(b_.rows));
    for (Index c = 0; c < b_.columns; ++c) {
      for (Index i = 0; i < b_.rows; ++i) column[i] = b_(i, c);
      const auto [steps, converged] = solve_for(column);
      figures_.steps = std::max<Index>(figures_.steps, steps);
      figures_.converged = figures_.converged && converged;
      for (Index i = 0; i < x_.rows; ++i) x_(i, c) = column[i];
    }
  }

  Dense<double> solution() const override { return x_; }
  IterationFigures figures() const override { return figures_; }

 protected:
  /// Own rows of b, which those of x replace; steps, and whether they came to the tolerance.
  virtual std::pair<Index, bool> solve_for(std::vector<double>& column) = 0;

  bool symmetric_;
  double tolerance_;

 private:
  const Dense<double>& b_;
  Dense<double> x_;
  IterationFigures figures_;
};

/// "" or why a library with 32-bit offsets cannot hold the matrix.
inline std::string more_than_int(const SparseSystem& system) {
  const bool fits = system.nonzeros() + system.order < Index{1} << 31;
  return fits ? "" : "it counts non-zeros with 32 bits";
}

}  // namespace spsolve::bench
