#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "helpers/threads.hpp"
#include "io/matrix_source.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"
#include "vectors/band_matrix.hpp"
#include "vectors/multivector/host_vectors.hpp"
#include "vectors/products/host_band_products.hpp"

namespace spsolve {
namespace {

/// Rows `first` to `last` of x.
Dense<double> rows_of(const Dense<double>& x, Index first, Index last) {
  Dense<double> part(last - first, x.columns);
  std::copy(x.row(first), x.row(last), part.values.begin());
  return part;
}

/// Rows whose first `own` columns meet own rows of x, and the others its halo.
struct Band {
  Band(const Csr<double>& matrix, Index own)
      : rows(matrix), own_columns(own), products(host_band_products(rows, own)) {}
  Band(const Band&) = delete;
  Band& operator=(const Band&) = delete;

  std::unique_ptr<Vectors> own_of(const Dense<double>& x) {
    return test::vectors_of(team, rows_of(x, 0, own_columns));
  }
  Dense<double> halo_of(const Dense<double>& x) const { return rows_of(x, own_columns, x.rows); }
  std::unique_ptr<Vectors> result(Index columns) {
    return test::vectors_of(team, Dense<double>(rows.rows, columns, NAN));
  }

  SoloTeam team;
  Csr<double> rows;
  Index own_columns;
  std::unique_ptr<BandProducts> products;
};

struct Residual {
  Dense<double> r;
  ResidualNorms norms;
  Dense<double> magnitudes;
};

/// `own` of the columns are own ones; as many as there are where it is left out.
Residual residual_of(const Csr<double>& matrix, const Dense<double>& b, const Dense<double>& x,
                     Index own = -1) {
  Band band(matrix, own < 0 ? matrix.columns : own);
  const std::unique_ptr<Vectors> r = band.result(b.columns), all = band.result(b.columns),
                                 right = test::vectors_of(band.team, b), own_x = band.own_of(x);
  ResidualNorms norms = band.products->residual(*right, *own_x, band.halo_of(x), *r);
  const Dense<double> alone = own_rows(*r);
  r->fill(0);
  band.products->residual(*right, *own_x, band.halo_of(x), *r, all.get());
  EXPECT_EQ(own_rows(*r).values, alone.values);
  return {alone, std::move(norms), own_rows(*all)};
}

TEST(Residual, KeepsWhatTheRoundingOfAProductLoses) {
  // (1 + e) (1 - e) = 1 - e^2, which double rounds to 1.
  const double e = 0x1p-30;
  Dense<double> matrix(1, 1, 1 + e), x(1, 1, 1 - e), b(1, 1, 1.0);
  EXPECT_EQ(residual_of(test::sparse(matrix), b, x).r(0, 0), e * e);
}

TEST(Residual, KeepsWhatTheRoundingOfASumLoses) {
  Dense<double> matrix(1, 4);
  matrix.values = {1e20, 3, -1e20, 0.5};
  for (const Index own : {1, 2, 4}) {
    const Dense<double> x(4, 1, 1.0);
    EXPECT_EQ(residual_of(test::sparse(matrix), Dense<double>(1, 1), x, own).r(0, 0), -3.5);
  }
}

TEST(Residual, OfTheRoundedProductIsItsRoundingError) {
  // Whole numbers whose products and sums fit 64 bits, but not double.
  const Index n = 57;
  Dense<double> matrix(n, n);
  Dense<double> x(n, 3), b(n, 3), expected(n, 3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      matrix(i, j) = static_cast<double>((i * 7919 + j * 104729) * 9973 % (1 << 28));
    for (Index c = 0; c < 3; ++c)
      x(i, c) = static_cast<double>((i + c) * 15485863 % (1 << 28) - (1 << 27));
  }
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < 3; ++c) {
      std::int64_t sum = 0;
      for (Index j = 0; j < n; ++j) {
        sum += static_cast<std::int64_t>(matrix(i, j)) * static_cast<std::int64_t>(x(j, c));
      }
      b(i, c) = static_cast<double>(sum);
      expected(i, c) = static_cast<double>(static_cast<std::int64_t>(b(i, c)) - sum);
    }
  }
  EXPECT_EQ(residual_of(test::sparse(matrix), b, x).r.values, expected.values);
  EXPECT_GT(*std::ranges::max_element(expected.values), 0) << "nothing was rounded";
}

TEST(Residual, NormsFollowTheirDefinitions) {
  Dense<double> matrix(2, 2);
  matrix.values = {1, -2, 3, 4};
  Dense<double> x(2, 1), b(2, 1);
  x.values = {-1, 5};
  b.values = {1, 20};
  const auto [r, norms, magnitudes] = residual_of(test::sparse(matrix), b, x);
  EXPECT_EQ(magnitudes.values, (std::vector<double>{11 + 1, 23 + 20}));
  EXPECT_EQ(r(0, 0), 12);
  EXPECT_EQ(r(1, 0), 3);
  EXPECT_EQ(norms.matrix, 7);
  EXPECT_EQ(norms.inverse_row, 1.0 / 3);
  EXPECT_EQ(norms.residual[0], 12);
  EXPECT_EQ(norms.right_hand_side[0], 20);
  EXPECT_EQ(norms.solution[0], 5);
  EXPECT_DOUBLE_EQ(norms.componentwise, 12.0 / (11 + 1));
}

TEST(Residual, ScalesThatOverflowHideNoError) {
  // x = 0.5 solves 1.5e308 x = b but for a thousandth.
  Dense<double> matrix(1, 2), x(2, 1, 0.5), b(1, 1, 1.5e308);
  matrix.values = {1.499e308, 1.499e308};
  const ResidualNorms norms = residual_of(test::sparse(matrix), b, x, 1).norms;
  EXPECT_GT(norms.componentwise, 1e-4);
  EXPECT_LT(norms.componentwise, 1e-2);
}

TEST(Residual, OfOneColumnHasTheBitsThatItHasBesideOthers) {
  const Index n = 200;  // more than what is looked at at once
  const Dense<double> dense = random_multivector(n, n, 8);
  const Dense<double> b = random_multivector(n, 1, 9), x = random_multivector(n, 1, 10);
  Dense<double> two_b(n, 2), two_x(n, 2);
  for (Index i = 0; i < n; ++i) {
    two_b(i, 0) = b(i, 0);
    two_x(i, 0) = x(i, 0);
    two_b(i, 1) = two_x(i, 1) = 0;
  }
  const Residual alone = residual_of(test::sparse(dense), b, x);
  const Residual beside = residual_of(test::sparse(dense), two_b, two_x);
  for (Index i = 0; i < n; ++i) EXPECT_EQ(alone.r(i, 0), beside.r(i, 0)) << i;
  EXPECT_EQ(alone.norms.matrix, beside.norms.matrix);
  EXPECT_EQ(alone.norms.componentwise, beside.norms.componentwise);
  EXPECT_EQ(alone.norms.residual[0], beside.norms.residual[0]);
  EXPECT_EQ(alone.norms.right_hand_side[0], beside.norms.right_hand_side[0]);
  EXPECT_EQ(alone.norms.solution[0], beside.norms.solution[0]);
}

/// A band of 40 rows of a larger matrix, some of them empty.
Csr<double> band_of(Index columns) {
  Dense<double> dense = random_multivector(40, columns, 3);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < columns; ++j) {
      if ((i + 3 * j) % 4 != 0 || i % 9 == 0) dense(i, j) = 0;
    }
  }
  return test::sparse(dense);
}

void expect_near(const Dense<double>& found, const Dense<double>& expected, double tolerance) {
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    EXPECT_NEAR(found.values[k], expected.values[k], tolerance) << k;
  }
}

TEST(HostBandProducts, MultiplyOwnColumnsAndTheHalo) {
  for (const Index columns : {40, 41, 97}) {
    for (const Index k : {1, 3, 8}) {
      Band band(band_of(columns), 40);
      const Dense<double> x = random_multivector(columns, k, 4);
      const std::unique_ptr<Vectors> y = band.result(k);
      band.products->multiply(*band.own_of(x), band.halo_of(x), *y);
      expect_near(own_rows(*y), test::multiply(band.rows, x), 1e-14);
    }
  }
}

/// Rows that choose_rows() has different formats for: stencils, short rows, rows that share
/// columns, and those of complex matrices.
std::vector<Csr<double>> rows_of_each_format() {
  Csr<double> lengths = load_matrix("circuit:8000"), shared = load_matrix("grid3d27:7:3");
  for (Index k = 0; k < shared.nonzeros(); ++k)
    shared.values[k] += 1e-3 * static_cast<double>(k % 977);
  Csr<double> conjugates = load_real_form("zhelm2d:60").rows;
  conjugate_rows(conjugates);
  return {load_matrix("grid2d:90"), lengths, shared, load_real_form("magnetic2d:60").rows,
          conjugates};
}

/// All that many products of a band compute, one after the other, of x and other vectors of its
/// rows.
std::vector<Dense<double>> many_products(const Csr<double>& matrix, Index own,
                                         const Dense<double>& x) {
  Band band(matrix, own);
  band.products->expect_many();
  const auto own_x = band.own_of(x);
  const Dense<double> halo = band.halo_of(x), b = random_multivector(matrix.rows, x.columns, 5),
                      d = random_multivector(matrix.rows, 1, 6);
  std::vector<Dense<double>> results;
  const auto y = band.result(x.columns), right = test::vectors_of(band.team, b),
             inverse = test::vectors_of(band.team, d);
  band.products->multiply(*own_x, halo, *y);
  results.push_back(own_rows(*y));
  band.products->subtract(*right, *own_x, halo, *y);
  results.push_back(own_rows(*y));
  band.products->add(*own_x, halo, *y);
  results.push_back(own_rows(*y));
  if (own == matrix.rows) {
    band.products->relax({0.5, -0.25, 2, *inverse}, *right, *own_x, halo, *y);
    results.push_back(own_rows(*y));
    const auto numbers = y->coefficients(1);
    band.products->multiply_and_dot(*own_x, halo, *y, {*numbers, 0});
    results.push_back(own_rows(*y));
    Dense<double> dots(1, x.columns);
    numbers->read(0, dots.values);
    results.push_back(dots);
  }
  return results;
}

TEST(HostBandProducts, ManyAreRightForEveryFormat) {
  for (const Csr<double>& matrix : rows_of_each_format()) {
    for (const Index own : {matrix.columns, matrix.columns - 300}) {
      for (const Index k : {1, 3}) {
        const Dense<double> x = random_multivector(matrix.columns, k, 4);
        const auto found = many_products(matrix, own, x);
        const Dense<double> product = test::multiply(matrix, x);
        expect_near(found[0], product, 1e-10);
        Dense<double> b = random_multivector(matrix.rows, k, 5);
        Dense<double> expected = b;
        for (std::size_t at = 0; at < b.values.size(); ++at)
          expected.values[at] -= product.values[at];
        expect_near(found[1], expected, 1e-10);
        expect_near(found[2], b, 1e-10);
        if (found.size() == 3) continue;
        const Dense<double> d = random_multivector(matrix.rows, 1, 6);
        for (Index i = 0; i < matrix.rows; ++i) {
          for (Index c = 0; c < k; ++c) {
            expected(i, c) =
                0.5 * x(i, c) - 0.25 * b(i, c) + 2 * d(i, 0) * (b(i, c) - product(i, c));
          }
        }
        expect_near(found[3], expected, 1e-9);
        EXPECT_EQ(found[4].values, found[0].values);
        for (Index c = 0; c < k; ++c) {
          double dot = 0;
          for (Index i = 0; i < matrix.rows; ++i) dot += x(i, c) * product(i, c);
          EXPECT_NEAR(found[5](0, c), dot, 1e-7);
        }
      }
    }
  }
}

TEST(HostBandProducts, ManyHaveTheSameBitsForAnyNumberOfThreads) {
  test::Threads threads(1);
  for (const Csr<double>& matrix : rows_of_each_format()) {
    for (const Index k : {1, 40}) {  // many columns are worth threads for small matrices
      const Dense<double> x = random_multivector(matrix.columns, k, 4);
      std::vector<Dense<double>> first;
      for (const int count : {1, 2, 5}) {
        threads.set(count);
        const auto found = many_products(matrix, matrix.columns, x);
        if (first.empty()) first = found;
        for (std::size_t at = 0; at < found.size(); ++at) {
          EXPECT_EQ(found[at].values, first[at].values) << count;
        }
      }
    }
  }
}

TEST(HostBandProducts, ManyFollowNewValues) {
  for (Csr<double> matrix : rows_of_each_format()) {
    const Dense<double> x = random_multivector(matrix.columns, 1, 4);
    Band band(matrix, matrix.columns);
    band.products->expect_many();
    // Of a complex matrix the real form of other numbers at first, then of none.
    for (const bool scales : {true, false}) {
      for (Index k = 0; k < matrix.nonzeros(); ++k) {
        band.rows.values[k] = scales ? 3 * matrix.values[k] : static_cast<double>(k % 13);
      }
      band.products->take_new_values();
      const auto y = band.result(1);
      band.products->multiply(*band.own_of(x), band.halo_of(x), *y);
      expect_near(own_rows(*y), test::multiply(band.rows, x), 1e-11);
    }
  }
}

TEST(HostBandProducts, TransposedTellWhatOthersRowsGet) {
  for (const Index columns : {40, 41, 97}) {
    Band band(band_of(columns), 40);
    for (const Index k : {1, 3}) {
      const Dense<double> x = random_multivector(40, k, 4);
      const std::unique_ptr<Vectors> y = band.result(k);
      Dense<double> halo;
      band.products->multiply_transposed(*test::vectors_of(band.team, x), *y, halo);
      const Dense<double> expected = test::multiply(transpose(band.rows), x);
      expect_near(own_rows(*y), rows_of(expected, 0, 40), 1e-14);
      ASSERT_EQ(halo.rows, columns - 40);
      expect_near(halo, rows_of(expected, 40, columns), 1e-14);
    }
  }
}

TEST(HostBandProducts, TransposedOfSymmetricRowsAreNoCopyAndFollowNewValues) {
  Band band(load_matrix("grid2d:9"), 81);
  const Dense<double> x = random_multivector(81, 2, 4);
  const auto transposed = [&] {
    const std::unique_ptr<Vectors> y = band.result(2);
    Dense<double> halo;
    band.products->multiply_transposed(*test::vectors_of(band.team, x), *y, halo);
    return own_rows(*y);
  };
  expect_near(transposed(), test::multiply(transpose(band.rows), x), 1e-14);
  EXPECT_EQ(band.products->transposed_bytes(), 0);
  band.rows.values[1] *= 2;
  band.products->take_new_values();
  expect_near(transposed(), test::multiply(transpose(band.rows), x), 1e-14);
  EXPECT_EQ(band.products->transposed_bytes(), csr_bytes(81, band.rows.nonzeros(), sizeof(double)));
}

TEST(HostBandProducts, WriteDiagonals) {
  Csr<double> rows = load_matrix("tridiagonal:5");
  rows.values[rows.row_offsets[2] + 1] = 0;
  for (double& value : rows.values) value *= -2;
  Band band(rows, 5);
  const std::unique_ptr<Vectors> d = band.result(1), inverse = band.result(1);
  band.products->diagonal(*d, *inverse);
  EXPECT_EQ(own_rows(*d).values, (std::vector<double>{4, 4, 1, 4, 4}));
  EXPECT_EQ(own_rows(*inverse).values, (std::vector<double>{0.25, 0.25, 1, 0.25, 0.25}));
}

TEST(BandMatrix, MayBeMadeOfProductsThatHaveTheirRows) {
  SoloTeam team;
  const Csr<double> rows = load_matrix("grid2d:4");
  const RowLayout layout{16, 1};
  BandMatrix matrix(team, layout, layout, {}, host_band_products(rows, 16), host_vector_memory());
  EXPECT_EQ(matrix.nonzeros(), rows.nonzeros());
  EXPECT_EQ(matrix.local_rows().values, rows.values);
  EXPECT_EQ(matrix.global_rows().column_indices, rows.column_indices);
  BandMatrix other(team, layout, layout, rows);
  const auto x = test::vectors_of(team, random_multivector(16, 2, 3));
  const auto y = matrix.vectors_of_rows(2), z = matrix.vectors_of_rows(2);
  matrix.apply(*x, *y);
  other.apply(*x, *z);
  EXPECT_EQ(own_rows(*y).values, own_rows(*z).values);
}

TEST(HostBandProducts, MagnitudesDoNotOverflowOnTheWay) {
  const Csr<double> matrix = band_of(60);
  Csr<double> huge = matrix, magnitudes = matrix;
  for (double& value : huge.values) value = std::ldexp(value, 1000);
  for (double& value : magnitudes.values) value = std::abs(value);
  Dense<double> x = random_multivector(60, 2, 4), of_x = x;
  for (double& value : x.values) value = std::ldexp(value, 100);
  for (double& value : of_x.values) value = std::ldexp(std::abs(value), 100);
  Band band(huge, 40);
  const std::unique_ptr<Vectors> y = band.result(2);
  band.products->multiply_magnitudes(0x1p-500, *band.own_of(x), band.halo_of(x), *y);
  expect_near(own_rows(*y), test::multiply(magnitudes, of_x), 0x1p100 * 1e-14);
}

}  // namespace
}  // namespace spsolve
