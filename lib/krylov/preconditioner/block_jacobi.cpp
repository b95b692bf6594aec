#include <algorithm>
#include <cmath>

#include <lapacke.h>

#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline krylov {

namespace {

constexpr Index most_rows_of_node = 8;

/// Where blocks of own rows end: rows with equal columns that follow each other, and where most
/// rows have none such, every most_rows_of_node rows.
std::vector<Index> block_ends(const Csr<double>& rows) {
  std::vector<Index> ends;
  for (Index i = 1; i <= rows.rows; ++i) {
    const Index first = ends.empty() ? 0 : ends.back();
    if (i == rows.rows || i - first == most_rows_of_node ||
        !std::ranges::equal(rows.row_columns(i), rows.row_columns(i - 1))) {
      ends.push_back(i);
    }
  }
  if (2 * static_cast<Index>(ends.size()) <= rows.rows) return ends;
  ends.clear();
  for (Index i = 0; i < rows.rows; i += most_rows_of_node) {
    ends.push_back(std::min(rows.rows, i + most_rows_of_node));
  }
  return ends;
}

/// Row-major entries of the block [first, last) of own rows and columns.
std::vector<double> block_of(const Csr<double>& rows, Index first, Index last) {
  const Index size = last - first;
  std::vector<double> block(static_cast<std::size_t>(size * size));
  for (Index i = first; i < last; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index j = columns[k];
      if (j >= first && j < last) block[(i - first) * size + (j - first)] = values[k];
    }
  }
  return block;
}

/// block <- its inverse; whether there is one. LAPACK takes it for its transpose, whose inverse is
/// the transposed one.
bool invert(std::vector<double>& block, Index size) {
  const auto n = static_cast<lapack_int>(size);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(size));
  std::vector<double> work(static_cast<std::size_t>(size));
  lapack_int info = 0;
  LAPACK_dgetrf(&n, &n, block.data(), &n, pivots.data(), &info);
  if (info == 0) LAPACK_dgetri(&n, block.data(), &n, pivots.data(), work.data(), &n, &info);
  return info == 0;
}

/// Where complex numbers end.
std::vector<Index> pair_ends(const Csr<double>& rows) {
  std::vector<Index> ends;
  for (Index i = complex_parts; i <= rows.rows; i += complex_parts) ends.push_back(i);
  return ends;
}

/// The inverses of all blocks as a sparse matrix of own rows and columns.
Csr<double> inverted_blocks(const BandMatrix& matrix, const std::vector<Index>& ends) {
  const Csr<double>& rows = matrix.local_rows();
  Csr<double> result;
  result.rows = result.columns = rows.rows;
  Index first = 0;
  for (const Index last : ends) {
    std::vector<double> block = block_of(rows, first, last);
    const Index size = last - first;
    if (!invert(block, size)) {
      if (size == complex_parts) refuse_zero_on_diagonal(matrix.own_rows().first + first);
      fail(ExitCode::input,
           "solve.preconditioner=block_jacobi wants regular blocks on the diagonal, and that of "
           "the rows {} to {} (numbered from 1) is singular; use solve.preconditioner=ilu0 or none",
           RowNames::told(matrix.own_rows().first + first),
           RowNames::told(matrix.own_rows().first + last - 1));
    }
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) {
        result.column_indices.push_back(static_cast<LocalIndex>(first + j));
        result.values.push_back(block[i * size + j]);
      }
      result.row_offsets.push_back(static_cast<Index>(result.values.size()));
    }
    first = last;
  }
  return result;
}

/// diag(A_11^-1, A_22^-1, ...), by products.
class BlockJacobi final : public PreconditionerOperator {
 public:
  using Ends = std::vector<Index> (*)(const Csr<double>&);
  BlockJacobi(const PreconditionerInput& input, Ends ends) {
    together(input.matrix.team(), [&] {
      blocks_ = inverted_blocks(input.matrix, ends(input.matrix.local_rows()));
      products_ = input.matrix.memory().products(blocks_, blocks_.columns);
    });
  }

  void apply(const Vectors& x, Vectors& y) override {
    products_->multiply(x, Dense<double>(0, x.columns()), y);
  }
  void apply_transposed(const Vectors& x, Vectors& y) override {
    Dense<double> halo;
    products_->multiply_transposed(x, y, halo);
  }

 private:
  Csr<double> blocks_;
  std::unique_ptr<BandProducts> products_;
};

}  // namespace

std::unique_ptr<PreconditionerOperator> make_block_jacobi(const PreconditionerInput& input) {
  return std::make_unique<BlockJacobi>(input, block_ends);
}

std::unique_ptr<PreconditionerOperator> make_complex_jacobi(const PreconditionerInput& input) {
  return std::make_unique<BlockJacobi>(input, pair_ends);
}

}  // namespace spsolve::krylov
