// Rows that come from other ranks, and a transposition over ranks.

#include "distribute/halo/fetch_rows.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "helpers/systems_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "matrix/structure.hpp"
#include "mpi/solve_in_team.hpp"

namespace spsolve {
namespace {

TEST(FetchRows, BringsTheHalosRows) {
  test::HostRanks ranks;
  const Csr<double> whole = load_matrix("random_sparse:97:97:5:seed=3");
  SystemMatrix matrix(test::matrix_in_bands(ranks.team, whole));
  const HaloPlan& plan = matrix.bands().halo().plan();
  const Csr<double> halo = fetch_rows(ranks.team, plan, matrix.bands().global_rows());
  ASSERT_EQ(halo.rows, plan.halo_rows());
  for (Index k = 0; k < halo.rows; ++k) {
    const Index row = plan.halo[k];
    EXPECT_TRUE(std::ranges::equal(halo.row_columns(k), whole.row_columns(row)));
    EXPECT_TRUE(std::ranges::equal(halo.row_values(k), whole.row_values(row)));
  }
}

TEST(TransposedRows, OfRectangularMatrices) {
  test::HostRanks ranks;
  const Csr<double> whole = load_matrix("random_sparse:60:23:4:seed=5");
  const RowLayout rows{60, ranks.team.size()}, columns{23, ranks.team.size()};
  const Csr<double> own = scatter_rows(ranks.team, rows, Csr<double>(whole));
  const Csr<double> result = transposed_rows(ranks.team, rows, columns, own);
  const Csr<double> expected = scatter_rows(ranks.team, columns, transpose(whole));
  EXPECT_EQ(result.row_offsets, expected.row_offsets);
  EXPECT_EQ(result.column_indices, expected.column_indices);
  EXPECT_EQ(result.values, expected.values);
}

}  // namespace
}  // namespace spsolve
