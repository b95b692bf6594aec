#include "krylov/preconditioner/preconditioner.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/tuning.hpp"
#include "core/worth_threads.hpp"
#include "matrix/csr.hpp"
#include "matrix/facts/elliptic.hpp"

namespace spsolve::inline krylov {

namespace {

std::int64_t vector_bytes(Index height) {
  return height * static_cast<std::int64_t>(sizeof(double));
}

std::int64_t no_bytes(Index, Index, MemoryKind) {
  return 0;
}

std::int64_t diagonal_bytes(Index height, Index, MemoryKind) {
  return vector_bytes(height);
}

std::int64_t chebyshev_bytes(Index height, Index, MemoryKind) {
  return 4 * vector_bytes(height);
}

/// The factors, and the order of their rows by levels; on a GPU what they were made of as well.
std::int64_t factor_bytes(Index height, Index nonzeros, MemoryKind memory) {
  const std::int64_t factors = csr_bytes(height, nonzeros, sizeof(double));
  return (memory == MemoryKind::gpu ? 2 : 1) * factors + 4 * vector_bytes(height);
}

/// Bytes as of blocks of 8 rows.
std::int64_t block_bytes(Index height, Index, MemoryKind) {
  return csr_bytes(height, 8 * height, sizeof(double));
}

/// The entries of float factors are not known before the analysis; 20 for each non-zero stand for
/// them here.
std::int64_t elimination_bytes(Index height, Index nonzeros, MemoryKind) {
  return csr_bytes(height, nonzeros, sizeof(double)) +
         20 * nonzeros * static_cast<std::int64_t>(sizeof(float));
}

/// Coarser matrices, interpolations and their transposes, the forms that products take of them,
/// vectors of the levels, and connections: as measured of grids in two and three dimensions and of
/// elasticity.
std::int64_t multigrid_bytes(Index height, Index nonzeros, MemoryKind) {
  constexpr std::int64_t of_row = 200, of_nonzero = 33;
  return of_row * height + of_nonzero * nonzeros;
}

/// And A with the shift, in two forms.
std::int64_t shifted_bytes(Index height, Index nonzeros, MemoryKind memory) {
  return multigrid_bytes(height, nonzeros, memory) +
         2 * csr_bytes(height, nonzeros, sizeof(double));
}

constexpr PreconditionerRow table[] = {
    {Preconditioner::none, "nothing: the method as it is", no_bytes, make_identity},
    {Preconditioner::jacobi, "the diagonal of A", diagonal_bytes, make_jacobi},
    {Preconditioner::block_jacobi,
     "blocks on the diagonal of A, inverted: the unknowns of a node where rows follow each other "
     "that have equal columns, else 8 rows each",
     block_bytes, make_block_jacobi},
    {Preconditioner::chebyshev,
     "a polynomial of A scaled by its diagonal, of degree 4, by products alone", chebyshev_bytes,
     make_chebyshev},
    {Preconditioner::ilu0,
     "incomplete L U without fill-in of each rank's own rows and columns; exact triangular solves "
     "on hosts, 6 sweeps of products each on GPUs",
     factor_bytes, make_ilu0},
    {Preconditioner::ic0, "the same as L L^T, for symmetric matrices", factor_bytes, make_ic0},
    {Preconditioner::elimination,
     "sparse elimination in float of each rank's own rows and columns: of one rank, the whole of A",
     elimination_bytes, make_elimination},
    {Preconditioner::multigrid,
     "a cycle of smoothed aggregation: smoothing by a polynomial on every level, and sparse "
     "elimination on the coarsest; for what comes of elliptic equations",
     multigrid_bytes, make_multigrid},
    {Preconditioner::shifted_laplacian,
     "multigrid of a complex Helmholtz equation with more damping, in which waves die out",
     shifted_bytes, make_shifted_laplacian},
};

class Identity final : public PreconditionerOperator {
 public:
  void apply(const Vectors& x, Vectors& y) override { copy(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { copy(x, y); }
  bool is_identity() const override { return true; }
};

}  // namespace

std::span<const PreconditionerRow> preconditioners() {
  return table;
}

const PreconditionerRow& preconditioner_row(Preconditioner kind) {
  for (const PreconditionerRow& row : table) {
    if (row.kind == kind) return row;
  }
  fail(ExitCode::internal, "there is no preconditioner {}", static_cast<int>(kind));
}

Preconditioner choose_preconditioner(BandMatrix& matrix, Method method, bool symmetric,
                                     bool elastic) {
  constexpr double most_rows = 0.9;
  constexpr double dominance = 0.5;
  const EllipticRows mine = elliptic_rows(matrix.local_rows(), dominance);
  const bool positive = all_sum(matrix.team(), mine.positive ? 0 : 1) == 0;
  const Index order = matrix.row_layout().rows;
  const auto elliptic = static_cast<double>(all_sum(matrix.team(), mine.count));
  if (symmetric && positive && order >= host_tuning.least_order_for_multigrid &&
      (elastic || elliptic >= most_rows * static_cast<double>(order))) {
    return Preconditioner::multigrid;
  }
  if (method == Method::cg || method == Method::block_cg) {
    return positive ? Preconditioner::ic0 : Preconditioner::none;
  }
  if (method == Method::minres) {
    const auto zeros = std::ranges::count(own_diagonal(matrix), 0.0);
    return all_sum(matrix.team(), zeros) == 0 ? Preconditioner::jacobi : Preconditioner::none;
  }
  return Preconditioner::ilu0;
}

std::string preconditioner_help() {
  std::string text =
      "Preconditioners of solve.preconditioner, for the Krylov methods; auto takes multigrid where "
      "A looks elliptic, else ic0 with cg and block_cg and jacobi with minres, or none where the "
      "diagonal does not allow that, and ilu0 with the others:\n\n";
  for (const PreconditionerRow& row : table) {
    text += fmt::format("{}\n      {}\n", name(row.kind), row.sentence);
  }
  return text;
}

void shift_diagonal(Team& team, Csr<double>& rows, Index first_row, double share) {
  std::vector<Index> places;
  double largest = 0;
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      if (rows.column_indices[k] != first_row + i) continue;
      places.push_back(k);
      largest = std::max(largest, std::abs(rows.values[k]));
    }
  }
  largest = all_maximum(team, largest);
  for (const Index k : places) rows.values[k] += share * largest;
}

Index replicated_level_nonzeros(MemoryKind memory) {
  return memory == MemoryKind::host ? host_tuning.replicated_level_nonzeros
                                    : gpu_tuning.replicated_level_nonzeros;
}

std::vector<double> own_diagonal(const BandMatrix& matrix) {
  const Csr<double>& rows = matrix.local_rows();
  std::vector<double> diagonal(static_cast<std::size_t>(rows.rows));
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] == i) diagonal[i] = values[k];
    }
  }
  return diagonal;
}

std::unique_ptr<PreconditionerOperator> make_identity(const PreconditionerInput&) {
  return std::make_unique<Identity>();
}

}  // namespace spsolve::krylov
