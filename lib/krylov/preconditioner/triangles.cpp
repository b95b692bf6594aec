#include "krylov/preconditioner/triangles.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

#include <omp.h>

#include "core/worth_threads.hpp"
#include "matrix/structure.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::inline krylov {

namespace {

/// Rows of a triangle in levels: those of one need none of each other.
struct Levels {
  std::vector<Index> first;      ///< of each level, and the end
  std::vector<LocalIndex> rows;  ///< level after level, ascending in each
  std::vector<char> worthwhile;  ///< whether each is worth threads; empty: few are
};

/// `ascending`: rows need rows before them, else those after them.
Levels levels_of(const Csr<double>& triangle, bool ascending) {
  const Index n = triangle.rows;
  std::vector<LocalIndex> depth(static_cast<std::size_t>(n));
  LocalIndex deepest = -1;
  for (Index step = 0; step < n; ++step) {
    const Index i = ascending ? step : n - 1 - step;
    LocalIndex mine = 0;
    for (const LocalIndex j : triangle.row_columns(i)) mine = std::max(mine, depth[j] + 1);
    depth[i] = mine;
    deepest = std::max(deepest, mine);
  }
  Levels levels;
  levels.first.assign(static_cast<std::size_t>(deepest) + 2, 0);
  for (const LocalIndex level : depth) ++levels.first[level + 1];
  for (std::size_t k = 1; k < levels.first.size(); ++k) levels.first[k] += levels.first[k - 1];
  levels.rows.resize(static_cast<std::size_t>(n));
  std::vector<Index> next(levels.first.begin(), levels.first.end());
  for (Index i = 0; i < n; ++i) levels.rows[next[depth[i]]++] = static_cast<LocalIndex>(i);
  return levels;
}

/// Finds the levels whose rows and non-zeros are worth threads; none where these have less than
/// half of the rows. Threads wake once for each: with levels of 2000 rows ten times as often as
/// once for a whole product, two threads of a busy machine took five times as long as one.
void find_worthwhile(const Csr<double>& triangle, Levels& levels) {
  Index rows = 0;
  for (std::size_t level = 0; level + 1 < levels.first.size(); ++level) {
    const Index first = levels.first[level], last = levels.first[level + 1];
    Index elements = last - first;
    for (Index k = first; k < last; ++k) {
      elements += std::ssize(triangle.row_columns(levels.rows[k]));
    }
    levels.worthwhile.push_back(elements > worthwhile_elements);
    if (levels.worthwhile.back()) rows += last - first;
  }
  if (2 * rows < std::ssize(levels.rows)) levels.worthwhile.clear();
}

/// One triangle T with ones on its diagonal, solved level by level; by one thread, whom levels are
/// of no use to, or where few are worth several, row by row, as memory has them. Every row's sum is
/// the same either way. A row waits for the one that is solved before it, which is mostly among its
/// own: it comes last in the sum, and nothing but a multiplication is left to do then.
class Triangle {
 public:
  /// `rows`: all of T but its diagonal, columns ascending.
  Triangle(Csr<double> rows, bool ascending)
      : rows_(std::move(rows)), ascending_(ascending), levels_(levels_of(rows_, ascending)) {
    find_worthwhile(rows_, levels_);
    if (ascending) return;
    for (Index i = 0; i < rows_.rows; ++i) {
      const Index first = rows_.row_offsets[i], last = rows_.row_offsets[i + 1];
      std::reverse(rows_.column_indices.begin() + first, rows_.column_indices.begin() + last);
      std::reverse(rows_.values.begin() + first, rows_.values.begin() + last);
    }
  }

  const Csr<double>& rows() const { return rows_; }

  /// x <- T^-1 D^-1 x; D = I where it is null.
  void solve(const std::vector<double>* diagonal, HostVectors& x) const {
    if (x.columns() == 0 || x.height() == 0) return;
    double* const values = x.row(0);
    if (x.columns() == 1) {
      solve(diagonal, values, std::integral_constant<Index, 1>{});
    } else {
      solve(diagonal, values, x.columns());
    }
  }

 private:
  /// For a number of columns that the compiler knows, or any.
  template <typename Columns>
  void solve(const std::vector<double>* diagonal, double* x, Columns columns) const {
    if (levels_.worthwhile.empty() || omp_get_max_threads() == 1 || processors_are_busy()) {
      const Index n = rows_.rows, step = ascending_ ? 1 : -1;
      double last = 0;
      for (Index k = 0, i = ascending_ ? 0 : n - 1; k < n; ++k, i += step) {
        last = solve_row(diagonal, x, i, columns, i - step, last);
      }
      return;
    }
    for (std::size_t level = 0; level + 1 < levels_.first.size(); ++level) {
      const Index first = levels_.first[level], last = levels_.first[level + 1];
      const auto solve_number = [&](Index k) {
        solve_row(diagonal, x, levels_.rows[k], columns, -1, 0);
      };
      // A parallel region of one thread takes as long as some hundred rows: there are many levels.
      if (!levels_.worthwhile[level]) {
        for (Index k = first; k < last; ++k) solve_number(k);
        continue;
      }
#pragma omp parallel for schedule(static)
      for (Index k = first; k < last; ++k) solve_number(k);
    }
  }

  /// Hands back the first element, which a row that is solved next takes as it is: `known`, of row
  /// `near`. Read from memory, it would be waited for.
  template <typename Columns>
  double solve_row(const std::vector<double>* diagonal, double* x, Index i, Columns columns,
                   Index near, double known) const {
    const Index first = rows_.row_offsets[i], last = rows_.row_offsets[i + 1];
    const LocalIndex* const places = rows_.column_indices.data();
    const double* const values = rows_.values.data();
    double* const mine = x + i * columns;
    if constexpr (!std::is_same_v<Columns, Index>) {
      double sum = mine[0];  // in a register: x is not looked at again
      if (diagonal != nullptr) sum /= (*diagonal)[i];
      for (Index k = first; k < last - 1; ++k) sum -= values[k] * x[places[k]];
      if (last > first) {
        if (places[last - 1] == near) {
          sum -= values[last - 1] * known;
        } else {
          sum -= values[last - 1] * x[places[last - 1]];
        }
      }
      return mine[0] = sum;
    } else {
      if (diagonal != nullptr) {
        for (Index c = 0; c < columns; ++c) mine[c] /= (*diagonal)[i];
      }
      for (Index k = first; k < last; ++k) {
        const double* const theirs = x + places[k] * columns;
        for (Index c = 0; c < columns; ++c) mine[c] -= values[k] * theirs[c];
      }
      return mine[0];
    }
  }

  Csr<double> rows_;
  bool ascending_;
  Levels levels_;
};

/// D^-1 N
Csr<double> divided(Csr<double> rows, const std::vector<double>& diagonal) {
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      rows.values[k] /= diagonal[i];
    }
  }
  return rows;
}

/// L D (I + D^-1 N), which has ones on the diagonals of its triangles.
class ExactTriangles final : public TriangleSolver {
 public:
  explicit ExactTriangles(IncompleteFactors factors)
      : diagonal_(std::move(factors.diagonal)),
        lower_(std::move(factors.lower), true),
        upper_(divided(std::move(factors.upper), diagonal_), false) {}

  void solve(const Vectors& x, Vectors& y) override {
    copy(x, y);
    lower_.solve(nullptr, on_host(y));
    upper_.solve(&diagonal_, on_host(y));
  }
  void solve_transposed(const Vectors& x, Vectors& y) override {
    if (!transposed_lower_) {  // few ask for it
      transposed_lower_.emplace(transpose(upper_.rows()), true);
      transposed_upper_.emplace(transpose(lower_.rows()), false);
    }
    copy(x, y);
    transposed_lower_->solve(nullptr, on_host(y));
    transposed_upper_->solve(&diagonal_, on_host(y));
  }

 private:
  std::vector<double> diagonal_;
  Triangle lower_, upper_;
  std::optional<Triangle> transposed_lower_, transposed_upper_;
};

/// Solves by sweeps x <- D^-1 (b - N x) for each triangle D + N.
class SweptTriangles final : public TriangleSolver {
 public:
  SweptTriangles(IncompleteFactors factors, const VectorMemory& memory, const Vectors& like)
      : factors_(std::move(factors)),
        lower_(memory.products(factors_.lower, factors_.lower.columns)),
        upper_(memory.products(factors_.upper, factors_.upper.columns)),
        inverse_(like.similar(1)),
        ones_(like.similar(1)) {
    std::vector<double> inverse = factors_.diagonal;
    for (double& value : inverse) value = 1 / value;
    inverse_->write_rows({0, inverse_->height()}, inverse);
    ones_->fill(1);
  }

  void solve(const Vectors& x, Vectors& y) override {
    make_room(x);
    const auto by = [](BandProducts& products) {
      return [&products](const Vectors& b, const Vectors& at, Vectors& r) {
        products.subtract(b, at, Dense<double>(0, b.columns()), r);
      };
    };
    sweep(*ones_, x, *middle_, by(*lower_));
    sweep(*inverse_, *middle_, y, by(*upper_));
  }

  void solve_transposed(const Vectors& x, Vectors& y) override {
    make_room(x);
    const auto by = [](BandProducts& products) {
      return [&products](const Vectors& b, const Vectors& at, Vectors& r) {
        Dense<double> halo;
        products.multiply_transposed(at, r, halo);
        r.combine(Factors(b, -1), Factors(b, 1), b);
      };
    };
    sweep(*inverse_, x, *middle_, by(*upper_));
    sweep(*ones_, *middle_, y, by(*lower_));
  }

 private:
  static constexpr int sweeps = 6;

  /// A factor for every column.
  struct Factors : std::vector<double> {
    Factors(const Vectors& of, double value)
        : std::vector<double>(static_cast<std::size_t>(of.columns()), value) {}
  };

  template <typename Subtract>
  void sweep(const Vectors& inverse, const Vectors& b, Vectors& x, const Subtract& subtract) {
    x.add_scaled_rows(0, 1, inverse, b);
    for (int k = 1; k < sweeps; ++k) {
      subtract(b, x, *residual_);
      x.add_scaled_rows(0, 1, inverse, *residual_);
    }
  }

  void make_room(const Vectors& like) {
    if (residual_ != nullptr && residual_->columns() == like.columns()) return;
    residual_ = like.similar(like.columns());
    middle_ = like.similar(like.columns());
  }

  IncompleteFactors factors_;
  std::unique_ptr<BandProducts> lower_, upper_;
  std::unique_ptr<Vectors> inverse_, ones_, residual_, middle_;
};

}  // namespace

std::unique_ptr<TriangleSolver> TriangleSolver::make(IncompleteFactors factors, bool on_host,
                                                     const VectorMemory& memory,
                                                     const Vectors& like) {
  if (on_host) return std::make_unique<ExactTriangles>(std::move(factors));
  return std::make_unique<SweptTriangles>(std::move(factors), memory, like);
}

Csr<double> own_block(const Csr<double>& rows) {
  bool as_it_is = rows.columns == rows.rows;  // nothing comes from other ranks
#pragma omp parallel for schedule(static) reduction(&& : as_it_is) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    as_it_is = as_it_is && std::is_sorted(columns.begin(), columns.end());
  }
  if (as_it_is) return rows;
  Csr<double> block;
  block.rows = block.columns = rows.rows;
  block.row_offsets.reserve(static_cast<std::size_t>(rows.rows) + 1);
  block.column_indices.reserve(rows.column_indices.size());
  block.values.reserve(rows.values.size());
  std::vector<std::pair<LocalIndex, double>> row;
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    row.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] < rows.rows) row.emplace_back(columns[k], values[k]);
    }
    std::ranges::sort(row);
    for (const auto& [column, value] : row) {
      block.column_indices.push_back(column);
      block.values.push_back(value);
    }
    block.row_offsets.push_back(static_cast<Index>(block.values.size()));
  }
  return block;
}

}  // namespace spsolve::krylov
