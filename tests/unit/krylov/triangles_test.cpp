#include "krylov/preconditioner/triangles.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <omp.h>

#include "helpers/systems_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"

namespace spsolve {
namespace {

/// L and U of the pattern of a matrix, with its off-diagonal entries made small compared with D.
IncompleteFactors factors_of(const Csr<double>& matrix) {
  IncompleteFactors factors;
  double largest = 0;
  for (const double value : matrix.values) largest = std::max(largest, std::abs(value));
  for (Csr<double>* part : {&factors.lower, &factors.upper}) {
    part->rows = part->columns = matrix.rows;
    part->row_offsets.assign(1, 0);
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    factors.diagonal.push_back(4 + static_cast<double>(i % 3));
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const LocalIndex j = matrix.column_indices[k];
      if (j == i) continue;
      Csr<double>& part = j < i ? factors.lower : factors.upper;
      part.column_indices.push_back(j);
      part.values.push_back(matrix.values[k] / (8 * largest));
    }
    for (Csr<double>* part : {&factors.lower, &factors.upper}) {
      part->row_offsets.push_back(static_cast<Index>(part->values.size()));
    }
  }
  return factors;
}

/// L U x, or (L U)^T x.
Dense<double> multiplied(const IncompleteFactors& factors, const Dense<double>& x,
                         bool transposed) {
  const auto apply = [](const Csr<double>& rows, const std::vector<double>& diagonal,
                        const Dense<double>& of) {
    Dense<double> y(of.rows, of.columns);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index c = 0; c < of.columns; ++c) {
        y(i, c) = diagonal[i] * of(i, c);
        for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
          y(i, c) += rows.values[k] * of(rows.column_indices[k], c);
        }
      }
    }
    return y;
  };
  const std::vector<double> ones(factors.diagonal.size(), 1.0);
  if (!transposed) return apply(factors.lower, ones, apply(factors.upper, factors.diagonal, x));
  return apply(transpose(factors.upper), factors.diagonal,
               apply(transpose(factors.lower), ones, x));
}

TEST(Triangles, AreSolvedWithTheSameBitsForAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const char* generator :
       {"grid2d:1", "convdiff3d:7", "grid2d:300", "grid3d:64", "circuit:500"}) {
    const Csr<double> matrix = load_matrix(generator);
    const IncompleteFactors factors = factors_of(matrix);
    SoloTeam team;
    for (const Index columns : {1, 3}) {
      const Dense<double> x = random_multivector(matrix.rows, columns, 1);
      const auto like = test::vectors_of(team, x);
      const auto solver = TriangleSolver::make(factors, true, host_vector_memory(), *like);
      for (const bool transposed : {false, true}) {
        const auto b = test::vectors_of(team, multiplied(factors, x, transposed));
        std::vector<double> alone;
        for (const int threads : {1, 2, 4}) {
          SCOPED_TRACE(testing::Message() << generator << " " << columns << " " << transposed);
          omp_set_num_threads(threads);
          const auto y = b->similar(columns);
          transposed ? solver->solve_transposed(*b, *y) : solver->solve(*b, *y);
          const std::vector<double> values = own_rows(*y).values;
          if (alone.empty()) {
            alone = values;
            for (std::size_t k = 0; k < values.size(); ++k) {
              ASSERT_NEAR(values[k], x.values[k], 1e-11);
            }
          }
          EXPECT_EQ(values, alone) << threads;
        }
      }
    }
  }
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace spsolve
