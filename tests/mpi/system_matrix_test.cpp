// The results of a system's matrix in bands compared with the whole matrix: whole numbers, so that
// sums have no rounding and do not depend on who adds them up.

#include "solve/operators/system_matrix.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "mpi/mpi_team.hpp"
#include "solve_in_team.hpp"

namespace spsolve {
namespace {

Dense<double> whole_numbers(Index rows, Index columns, Index seed) {
  Dense<double> values = random_multivector(rows, columns, seed);
  for (double& value : values.values) value = std::floor(value * 16);
  return values;
}

/// A few entries of every row near the diagonal and far from it; some rows and columns are empty.
Csr<double> sparse_numbers(Index n, Index seed) {
  Dense<double> dense = whole_numbers(n, n, seed);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const bool kept = std::abs(i - j) <= 1 || (7 * i + 3 * j) % 11 == 0;
      if (!kept || i % 13 == 4 || j % 17 == 5) dense(i, j) = 0;
    }
  }
  return test::sparse(dense);
}

/// Powers of two for the rows and columns of a whole matrix.
std::vector<double> powers_of_two(Index n, int step) {
  std::vector<double> factors;
  for (Index i = 0; i < n; ++i) factors.push_back(std::ldexp(1.0, static_cast<int>(i % step) - 2));
  return factors;
}

/// R A C for whole R and C.
Csr<double> scaled(Csr<double> matrix, const std::vector<double>& r, const std::vector<double>& c) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      matrix.values[k] *= r[i] * c[matrix.column_indices[k]];
    }
  }
  return matrix;
}

Csr<double> magnitudes(Csr<double> matrix) {
  for (double& value : matrix.values) value = std::abs(value);
  return matrix;
}

Dense<double> magnitudes(Dense<double> x) {
  for (double& value : x.values) value = std::abs(value);
  return x;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// max over i of sum over j of |a_ij|
double norm_of(const Csr<double>& matrix) {
  return largest(test::multiply(magnitudes(matrix), Dense<double>(matrix.columns, 1, 1.0)).values);
}

class SystemMatrixTest : public testing::Test {
 protected:
  /// Bands of equal height; ever higher ones; all rows on the last rank.
  std::vector<RowLayout> layouts(Index n) const {
    const Index ranks = team.size();
    RowLayout higher{n, team.size()}, last{n, team.size()};
    for (Index rank = 0; rank <= ranks; ++rank) {
      higher.borders.push_back(n * rank * rank / (ranks * ranks));
      last.borders.push_back(rank < ranks ? 0 : n);
    }
    return {{n, team.size()}, higher, last};
  }

  /// Calls work(whole matrix, the matrix in bands).
  template <typename Work>
  void for_matrices(const Work& work) {
    for (const Index n : {0, 1, 2, 7, 60, 151}) {
      const Csr<double> whole = sparse_numbers(n, n + 1);
      for (const RowLayout& layout : layouts(n)) {
        SCOPED_TRACE(testing::Message()
                     << "n = " << n << ", own rows " << layout.band(team.rank()).first << " to "
                     << layout.band(team.rank()).last);
        SystemMatrix matrix = test::matrix_in_bands(team, layout, whole);
        work(whole, matrix);
      }
    }
  }

  /// Own rows of what every rank has whole.
  static std::vector<double> own_of(const SystemMatrix& matrix, const std::vector<double>& all) {
    return {all.begin() + matrix.own().first, all.begin() + matrix.own().last};
  }

  Equilibration scaling_of(const SystemMatrix& matrix) {
    return {true, own_of(matrix, powers_of_two(matrix.order(), 5)),
            own_of(matrix, powers_of_two(matrix.order(), 7))};
  }

  MpiTeam team;
};

TEST_F(SystemMatrixTest, KnowsItsRows) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    EXPECT_EQ(matrix.order(), whole.rows);
    EXPECT_EQ(matrix.nonzeros(), whole.nonzeros());
    EXPECT_EQ(matrix.own(), matrix.layout().band(team.rank()));
    const Csr<double>& rows = matrix.local_rows();
    ASSERT_EQ(rows.rows, matrix.own().size());
    for (Index i = 0; i < rows.rows; ++i) {
      std::vector<LocalIndex> columns;
      for (const LocalIndex j : rows.row_columns(i)) {
        columns.push_back(static_cast<LocalIndex>(matrix.global_column(j)));
      }
      EXPECT_TRUE(std::ranges::equal(columns, whole.row_columns(matrix.own().first + i)));
    }
  });
}

TEST_F(SystemMatrixTest, ProductsAreThoseOfTheWholeMatrix) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    const Csr<double> transposed = transpose(whole);
    for (const Index columns : {1, 3, 1}) {
      const Dense<double> x = whole_numbers(whole.rows, columns, 9);
      const auto in_bands = test::vectors_of(matrix, x);
      const auto y = matrix.vectors(columns);
      y->fill(NAN);
      matrix.apply(*in_bands, *y);
      EXPECT_EQ(test::whole(*y).values, test::multiply(whole, x).values);
      y->fill(NAN);
      matrix.apply_transposed(*in_bands, *y);
      EXPECT_EQ(test::whole(*y).values, test::multiply(transposed, x).values);
      y->fill(NAN);
      matrix.apply_magnitudes(0.5, *in_bands, *y);
      Dense<double> expected = test::multiply(magnitudes(whole), magnitudes(x));
      for (double& value : expected.values) value /= 4;
      EXPECT_EQ(test::whole(*y).values, expected.values);
    }
  });
}

TEST_F(SystemMatrixTest, ResidualsAndTheirNormsAreThoseOfAllRows) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    const Dense<double> x = whole_numbers(whole.rows, 2, 9), b = whole_numbers(whole.rows, 2, 8);
    Dense<double> expected = test::multiply(whole, x);
    for (std::size_t k = 0; k < b.values.size(); ++k) {
      expected.values[k] = b.values[k] - expected.values[k];
    }
    const Dense<double> scale = test::multiply(magnitudes(whole), magnitudes(x));
    double componentwise = 0;
    std::vector<double> of_r(2), of_b(2), of_x(2);
    for (Index i = 0; i < whole.rows; ++i) {
      for (Index c = 0; c < 2; ++c) {
        of_r[c] = std::max(of_r[c], std::abs(expected(i, c)));
        of_b[c] = std::max(of_b[c], std::abs(b(i, c)));
        of_x[c] = std::max(of_x[c], std::abs(x(i, c)));
        if (expected(i, c) == 0) continue;
        componentwise =
            std::max(componentwise, std::abs(expected(i, c)) / (scale(i, c) + std::abs(b(i, c))));
      }
    }
    const auto r = matrix.vectors(2);
    const ResidualNorms norms =
        matrix.residual(*test::vectors_of(matrix, b), *test::vectors_of(matrix, x), *r);
    EXPECT_EQ(test::whole(*r).values, expected.values);
    EXPECT_EQ(norms.residual, of_r);
    EXPECT_EQ(norms.right_hand_side, of_b);
    EXPECT_EQ(norms.solution, of_x);
    EXPECT_EQ(norms.matrix, norm_of(whole));
    EXPECT_EQ(norms.componentwise, componentwise);
  });
}

TEST_F(SystemMatrixTest, NormsWithAndWithoutScaleFactors) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    EXPECT_EQ(matrix.infinity_norm({}), norm_of(whole));
    EXPECT_EQ(matrix.one_norm({}), norm_of(transpose(whole)));
    const Csr<double> changed =
        scaled(whole, powers_of_two(whole.rows, 5), powers_of_two(whole.rows, 7));
    const Equilibration scaling = scaling_of(matrix);
    EXPECT_EQ(matrix.infinity_norm(scaling), norm_of(changed));
    EXPECT_EQ(matrix.one_norm(scaling), norm_of(transpose(changed)));
  });
}

TEST_F(SystemMatrixTest, MaximaOfRowsAndColumns) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    const std::vector<double> factors = powers_of_two(whole.rows, 5);
    std::vector<double> rows(factors.size()), columns = rows;
    for (Index i = 0; i < whole.rows; ++i) {
      for (Index k = whole.row_offsets[i]; k < whole.row_offsets[i + 1]; ++k) {
        const double magnitude = std::abs(whole.values[k]);
        double& of_column = columns[whole.column_indices[k]];
        rows[i] = std::max(rows[i], magnitude);
        of_column = std::max(of_column, factors[i] * magnitude);
      }
    }
    EXPECT_EQ(matrix.row_maxima().values, own_of(matrix, rows));
    EXPECT_EQ(matrix.column_maxima(own_of(matrix, factors)).values, own_of(matrix, columns));
  });
}

TEST_F(SystemMatrixTest, ScaledRowsHaveGlobalColumns) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    const auto rows_of = [&](const Csr<double>& all) {
      return scatter_rows(team, matrix.layout(), team.rank() == 0 ? all : Csr<double>{});
    };
    test::expect_equal(matrix.scaled_rows({}), rows_of(whole));
    test::expect_equal(
        matrix.scaled_rows(scaling_of(matrix)),
        rows_of(scaled(whole, powers_of_two(whole.rows, 5), powers_of_two(whole.rows, 7))));
  });
}

TEST_F(SystemMatrixTest, NewValuesReachEveryProduct) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    const Dense<double> x = whole_numbers(whole.rows, 2, 9);
    const auto in_bands = test::vectors_of(matrix, x), y = matrix.vectors(2);
    matrix.apply_transposed(*in_bands, *y);  // the transpose of the old values is made
    Csr<double> changed = whole;
    for (std::size_t k = 0; k < changed.values.size(); ++k) {
      changed.values[k] = static_cast<double>(k % 23) - 11;
    }
    const Csr<double> rows =
        scatter_rows(team, matrix.layout(), team.rank() == 0 ? changed : Csr<double>{});
    matrix.set_values(rows.values);
    matrix.apply(*in_bands, *y);
    EXPECT_EQ(test::whole(*y).values, test::multiply(changed, x).values);
    matrix.apply_transposed(*in_bands, *y);
    EXPECT_EQ(test::whole(*y).values, test::multiply(transpose(changed), x).values);
    EXPECT_EQ(matrix.infinity_norm({}), norm_of(changed));
    test::expect_equal(matrix.scaled_rows({}), rows);
  });
}

TEST_F(SystemMatrixTest, AnotherNumberOfValuesIsRefusedOnEveryRank) {
  const Csr<double> whole = sparse_numbers(60, 1);
  SystemMatrix matrix = test::matrix_in_bands(team, whole);
  std::vector<double> values = matrix.local_rows().values;
  if (team.rank() == team.size() - 1) values.push_back(1);
  const std::string text =
      test::error_on_every_rank([&] { matrix.set_values(values); }, ExitCode::input);
  EXPECT_NE(text.find("give one for each"), std::string::npos) << text;
  EXPECT_EQ(matrix.infinity_norm({}), norm_of(whole)) << "the old ones stay";
}

TEST_F(SystemMatrixTest, RowsAreDealtOutAnew) {
  for_matrices([&](const Csr<double>& whole, SystemMatrix& matrix) {
    std::vector<RowLayout> wanted = layouts(whole.rows);
    for (const Index block : {1, 3, 8, 200}) {
      wanted.push_back(RowLayout::cyclic(whole.rows, team.size(), block));
    }
    const Csr<double> rows = matrix.scaled_rows({});
    for (const RowLayout& to : wanted) {
      test::expect_equal(redistribute_rows(team, matrix.layout(), rows, to),
                         scatter_rows(team, to, team.rank() == 0 ? whole : Csr<double>{}));
    }
  });
}

}  // namespace
}  // namespace spsolve
