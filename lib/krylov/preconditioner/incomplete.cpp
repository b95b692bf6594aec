#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "core/resize_in_threads.hpp"
#include "core/worth_threads.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "krylov/preconditioner/triangles.hpp"

namespace spsolve::inline krylov {

namespace {

/// Places of the diagonal in rows that all have one.
std::vector<Index> diagonal_places(const Csr<double>& rows) {
  std::vector<Index> places(static_cast<std::size_t>(rows.rows));
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    places[i] = rows.row_offsets[i] +
                (std::lower_bound(columns.begin(), columns.end(), i) - columns.begin());
  }
  return places;
}

/// Cuts eliminated rows, which all have a diagonal entry, in L's and U's.
IncompleteFactors cut(const Csr<double>& rows) {
  const std::vector<Index> places = diagonal_places(rows);
  IncompleteFactors factors;
  factors.diagonal.resize(static_cast<std::size_t>(rows.rows));
  for (Csr<double>* part : {&factors.lower, &factors.upper}) {
    part->rows = part->columns = rows.rows;
    part->row_offsets.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
  }
  for (Index i = 0; i < rows.rows; ++i) {
    factors.lower.row_offsets[i + 1] =
        factors.lower.row_offsets[i] + places[i] - rows.row_offsets[i];
    factors.upper.row_offsets[i + 1] =
        factors.upper.row_offsets[i] + rows.row_offsets[i + 1] - places[i] - 1;
  }
  for (Csr<double>* part : {&factors.lower, &factors.upper}) {
    resize_in_threads(part->column_indices, static_cast<std::size_t>(part->row_offsets.back()));
    resize_in_threads(part->values, static_cast<std::size_t>(part->row_offsets.back()));
  }
  const auto fill = [&](Csr<double>& part, Index row, Index first, Index last) {
    const Index to = part.row_offsets[row];
    std::copy(rows.column_indices.begin() + first, rows.column_indices.begin() + last,
              part.column_indices.begin() + to);
    std::copy(rows.values.begin() + first, rows.values.begin() + last, part.values.begin() + to);
  };
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    fill(factors.lower, i, rows.row_offsets[i], places[i]);
    factors.diagonal[i] = rows.values[places[i]];
    fill(factors.upper, i, places[i] + 1, rows.row_offsets[i + 1]);
  }
  return factors;
}

/// Gives rows without a diagonal entry one that is zero.
Csr<double> with_diagonal(Csr<double> rows) {
  bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    all = all && std::binary_search(columns.begin(), columns.end(), static_cast<LocalIndex>(i));
  }
  if (all) return rows;
  Csr<double> result;
  result.rows = result.columns = rows.rows;
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    bool placed = false;
    for (std::size_t k = 0; k <= columns.size(); ++k) {
      if (!placed && (k == columns.size() || columns[k] >= i)) {
        placed = true;
        if (k == columns.size() || columns[k] != i) {
          result.column_indices.push_back(static_cast<LocalIndex>(i));
          result.values.push_back(0);
        }
      }
      if (k == columns.size()) break;
      result.column_indices.push_back(columns[k]);
      result.values.push_back(values[k]);
    }
    result.row_offsets.push_back(static_cast<Index>(result.values.size()));
  }
  return result;
}

/// Pivots smaller than this part of the largest entry of their row are made as large.
constexpr double least_pivot = 1e-8;

/// rows <- L and U in their places, by rows (the IKJ order; Saad, "Iterative Methods for Sparse
/// Linear Systems", algorithm 10.4). Hands back how many pivots were made larger.
Index eliminate_in_place(Csr<double>& rows) {
  const std::vector<Index> diagonals = diagonal_places(rows);
  std::vector<Index> place(static_cast<std::size_t>(rows.rows), -1);
  Index enlarged = 0;
  for (Index i = 0; i < rows.rows; ++i) {
    const Index first = rows.row_offsets[i], last = rows.row_offsets[i + 1];
    double largest = 0;
    for (Index k = first; k < last; ++k) {
      place[rows.column_indices[k]] = k;
      largest = std::max(largest, std::abs(rows.values[k]));
    }
    for (Index k = first; k < diagonals[i]; ++k) {
      const Index j = rows.column_indices[k];
      const double multiplier = rows.values[k] /= rows.values[diagonals[j]];
      for (Index entry = diagonals[j] + 1; entry < rows.row_offsets[j + 1]; ++entry) {
        const Index target = place[rows.column_indices[entry]];
        if (target >= 0) rows.values[target] -= multiplier * rows.values[entry];
      }
    }
    double& pivot = rows.values[diagonals[i]];
    const double least = largest > 0 ? least_pivot * largest : 1.0;
    if (!(std::abs(pivot) >= least)) {
      pivot = pivot < 0 ? -least : least;
      ++enlarged;
    }
    for (Index k = first; k < last; ++k) place[rows.column_indices[k]] = -1;
  }
  return enlarged;
}

/// Eliminates A + shift diag(A) for a symmetric A, whose U is then D L^T; hands back nothing unless
/// all pivots are positive.
std::optional<Csr<double>> eliminate_shifted(const Csr<double>& block, double shift) {
  Csr<double> rows = block;
  const std::vector<Index> diagonals = diagonal_places(rows);
  for (const Index k : diagonals) rows.values[k] *= 1 + shift;
  if (eliminate_in_place(rows) > 0) return {};
  for (const Index k : diagonals) {
    if (!(rows.values[k] > 0)) return {};
  }
  return rows;
}

class Incomplete final : public PreconditionerOperator {
 public:
  Incomplete(const PreconditionerInput& input, const char* name, bool symmetric) {
    BandMatrix& matrix = input.matrix;
    const std::unique_ptr<Vectors> like = matrix.vectors_of_rows(1);
    Index enlarged = 0;
    double shift = 0;
    together(matrix.team(), [&] {
      Csr<double> block = with_diagonal(own_block(matrix.local_rows()));
      if (symmetric) {
        block = positive_factors(block, name, shift);
      } else {
        enlarged = eliminate_in_place(block);
      }
      triangles_ = TriangleSolver::make(cut(block), input.memory.memory() == MemoryKind::host,
                                        matrix.memory(), *like);
    });
    enlarged = all_sum(matrix.team(), enlarged);
    shift = all_maximum(matrix.team(), shift);
    if (enlarged > 0) {
      notes.push_back(fmt::format("{}: {} of {} pivots were too small and made larger", name,
                                  enlarged, matrix.row_layout().rows));
    }
    if (shift > 0) {
      notes.push_back(fmt::format(
          "{}: a pivot was not positive; factors are those of A + {:g} diag(A)", name, shift));
    }
  }

  void apply(const Vectors& x, Vectors& y) override { triangles_->solve(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override {
    triangles_->solve_transposed(x, y);
  }

 private:
  /// Eliminates with the smallest shift of 0, 0.001, 0.01, ... that does (Manteuffel, 1980).
  static Csr<double> positive_factors(const Csr<double>& block, const char* name, double& shift) {
    for (shift = 0; shift <= 10; shift = shift == 0 ? 1e-3 : 10 * shift) {
      if (auto rows = eliminate_shifted(block, shift)) return std::move(*rows);
    }
    fail(ExitCode::not_trustworthy,
         "solve.preconditioner={} found no positive pivots: the matrix is not positive definite, "
         "or its diagonal is not; use solve.preconditioner=jacobi with solve.method=minres, or "
         "solve.method=gmres",
         name);
  }

  std::unique_ptr<TriangleSolver> triangles_;
};

}  // namespace

std::unique_ptr<PreconditionerOperator> make_ilu0(const PreconditionerInput& input) {
  return std::make_unique<Incomplete>(input, "ilu0", false);
}

std::unique_ptr<PreconditionerOperator> make_ic0(const PreconditionerInput& input) {
  return std::make_unique<Incomplete>(input, "ic0", true);
}

}  // namespace spsolve::krylov
