// Rows that come from other ranks and go back to them, a transposition over ranks, and matrices of
// rows that are numbered already.

#include "distribute/halo/fetch_rows.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "distribute/foreign_columns.hpp"
#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "helpers/systems_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "mpi/solve_in_team.hpp"
#include "vectors/products/host_band_products.hpp"

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

TEST(GiveRowsBack, BringsPartsToTheirOwners) {
  test::HostRanks ranks;
  const Csr<double> whole = load_matrix("random_sparse:60:23:4:seed=5");
  const RowLayout rows{60, ranks.team.size()}, columns{23, ranks.team.size()};
  const Range own_rows = rows.band(ranks.team.rank()), own = columns.band(ranks.team.rank());
  const Csr<double> mine = scatter_rows(ranks.team, rows, Csr<double>(whole));
  // The part that this rank has of others' rows of the transpose.
  const std::vector<Index> numbers = foreign_columns(mine, own);
  const Csr<double> all = transpose(whole);
  const auto take = [&](Index row, bool of_this_rank, Csr<double>& to) {
    for (Index k = all.row_offsets[row]; k < all.row_offsets[row + 1]; ++k) {
      if (own_rows.contains(all.column_indices[k]) != of_this_rank) continue;
      to.column_indices.push_back(all.column_indices[k]);
      to.values.push_back(all.values[k]);
    }
    to.row_offsets.push_back(std::ssize(to.values));
    ++to.rows;
  };
  Csr<double> parts, expected;
  parts.columns = 60;
  for (const Index number : numbers) take(number, true, parts);
  for (Index row = own.first; row < own.last; ++row) take(row, false, expected);
  const Csr<double> came = give_rows_back(ranks.team, columns, numbers, parts);
  EXPECT_EQ(came.columns, 60);
  EXPECT_EQ(came.row_offsets, expected.row_offsets);
  EXPECT_EQ(came.column_indices, expected.column_indices);
  EXPECT_EQ(came.values, expected.values);
}

TEST(BandMatrix, MayBeMadeOfProductsOverRanks) {
  test::HostRanks ranks;
  SystemMatrix matrix(
      test::matrix_in_bands(ranks.team, load_matrix("random_sparse:97:97:5:seed=3")));
  BandMatrix& bands = matrix.bands();
  const std::vector<Index>& others = bands.halo().plan().halo;
  // Rows as they are made on GPUs, in the order of these numbers.
  const Csr<double> rows = transpose(transpose(bands.local_rows()));
  BandMatrix made(ranks.team, bands.row_layout(), bands.column_layout(), others,
                  host_band_products(rows, bands.own_columns().size()), host_vector_memory());
  EXPECT_EQ(made.nonzeros(), bands.nonzeros());
  const Csr<double> named = made.global_rows(), expected = bands.global_rows();
  EXPECT_EQ(named.columns, expected.columns);
  EXPECT_EQ(named.column_indices, expected.column_indices);
  EXPECT_EQ(named.values, expected.values);
  const auto x = test::vectors_of(matrix, random_multivector(97, 2, 3));
  const auto y = matrix.vectors(2), z = matrix.vectors(2);
  bands.apply(*x, *y);
  made.apply(*x, *z);
  const Dense<double> of_made = test::whole(*z), of_bands = test::whole(*y);
  for (std::size_t k = 0; k < of_made.values.size(); ++k) {
    EXPECT_NEAR(of_made.values[k], of_bands.values[k], 1e-13);
  }
}

}  // namespace
}  // namespace spsolve
