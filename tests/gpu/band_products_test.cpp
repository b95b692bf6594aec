// Products of bands with vectors in GPU memory against those of the host.

#include <limits>

#include "cuda/device/device_vector_memory.hpp"
#include "gpu/band_products_cases.hpp"
#include "gpu/gpu_test.hpp"
#include "solve/operators/system_matrix.hpp"

namespace spsolve::cuda {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class GpuBandProducts : public GpuTest {
 protected:
  template <typename Work>
  void for_products(const Work& work) {
    for (const Csr<double>& matrix : matrices()) {
      for (const Index columns : {1, 2, 3, 4, 8, 17, 64, 70}) {
        SCOPED_TRACE(testing::Message() << matrix.rows << " x " << matrix.columns << ", "
                                        << matrix.nonzeros() << " non-zeros, K = " << columns);
        Products products(team, matrix, columns);
        work(products);
        Products often(team, matrix, columns);
        often.device->expect_many();
        often.in_one_more_form = true;
        work(often);
      }
    }
  }

  /// The residuals of both memories, of right-hand sides in `p.y` and to `r`, against each other:
  /// both are exact but for the last bits and m u^2 of what cancels.
  static void expect_same_residual(Products& p, VectorPair& r) {
    const ResidualNorms host = p.host->residual(p.y.host, p.x.host, p.halo, r.host);
    const auto magnitudes = r.device.similar(r.device.columns());
    const ResidualNorms device =
        p.device->residual(p.y.device, p.x.device, p.halo, r.device, magnitudes.get());
    const Dense<double> a = own_rows(r.device), b = own_rows(r.host), all = own_rows(*magnitudes);
    double of_errors = 0;
    for (Index i = 0; i < b.rows; ++i) {
      const double m = p.length(i) + 2;
      for (Index c = 0; c < b.columns; ++c) {
        const double scale = p.magnitude(i, c) + std::abs(p.y.host.row(i)[c]);
        const double bound =
            2 * unit_roundoff * std::abs(b(i, c)) + 4 * m * unit_roundoff * unit_roundoff * scale;
        EXPECT_LE(std::abs(a(i, c) - b(i, c)), bound) << i << " " << c;
        EXPECT_NEAR(all(i, c), scale, m * unit_roundoff * scale) << i << " " << c;
        of_errors = std::max(of_errors, 4 * m * unit_roundoff);
      }
    }
    EXPECT_EQ(device.right_hand_side, host.right_hand_side);
    EXPECT_EQ(device.solution, host.solution);
    EXPECT_EQ(device.residual, maxima(r.device));
    EXPECT_NEAR(device.matrix, host.matrix, of_errors * host.matrix);
    if (std::isfinite(host.inverse_row)) {
      EXPECT_NEAR(device.inverse_row, host.inverse_row, of_errors * host.inverse_row);
    } else {
      EXPECT_EQ(device.inverse_row, host.inverse_row);
    }
    EXPECT_NEAR(device.componentwise, host.componentwise,
                of_errors * (host.componentwise + unit_roundoff));
  }

  SoloTeam team;
};

TEST_F(GpuBandProducts, Multiply) {
  for_products([&](Products& p) {
    p.host->multiply(p.x.host, p.halo, p.y.host);
    p.device->multiply(p.x.device, p.halo, p.y.device);
    const Dense<double> a = own_rows(p.y.device), b = own_rows(p.y.host);
    for (Index i = 0; i < b.rows; ++i) {
      for (Index c = 0; c < b.columns; ++c) {
        EXPECT_NEAR(a(i, c), b(i, c), 2 * p.length(i) * unit_roundoff * p.magnitude(i, c));
      }
    }
  });
}

TEST_F(GpuBandProducts, SubtractAddAndRelax) {
  for_products([&](Products& p) {
    const Index rows = p.matrix.rows, columns = p.x.host.columns();
    const VectorPair b(team, rows, columns, 4), inverse(team, rows, 1, 5);
    VectorPair r(team, rows, columns, 6);
    const auto compare = [&](const VectorPair& result) {
      const Dense<double> device = own_rows(result.device), host = own_rows(result.host);
      for (Index i = 0; i < rows; ++i) {
        for (Index c = 0; c < columns; ++c) {
          const double size = p.magnitude(i, c) + 6;
          ASSERT_NEAR(device(i, c), host(i, c), 2 * (p.length(i) + 4) * unit_roundoff * size);
        }
      }
    };
    p.host->subtract(b.host, p.x.host, p.halo, r.host);
    p.device->subtract(b.device, p.x.device, p.halo, r.device);
    compare(r);
    p.host->add(p.x.host, p.halo, p.y.host);
    p.device->add(p.x.device, p.halo, p.y.device);
    compare(p.y);
    for (const double of_y : {-0.5, 0.0}) {
      VectorPair y(team, rows, columns, 7);
      if (of_y == 0) {
        y.host.fill(nan);
        y.device.fill(nan);
      }
      p.host->relax({1.5, of_y, 0.75, inverse.host}, b.host, p.x.host, p.halo, y.host);
      p.device->relax({1.5, of_y, 0.75, inverse.device}, b.device, p.x.device, p.halo, y.device);
      compare(y);
    }
  });
}

TEST_F(GpuBandProducts, MaximaAreTheHosts) {
  for (const Csr<double>& matrix : matrices()) {
    SCOPED_TRACE(testing::Message() << matrix.rows << " x " << matrix.columns);
    const Products p(team, matrix, 1);
    const std::vector<double> factors = random_multivector(matrix.rows, 1, 9).values;
    std::vector<double> sizes;
    for (const double factor : factors) sizes.push_back(std::abs(factor));
    const auto rows = static_cast<std::size_t>(matrix.rows);
    const auto columns = static_cast<std::size_t>(matrix.columns);
    std::vector<double> of_rows(rows, -1), of_columns(columns, -1);
    auto rows_on_host = of_rows, columns_on_host = of_columns;
    p.device->row_maxima(of_rows);
    p.device->column_maxima(sizes, of_columns);
    p.host->row_maxima(rows_on_host);
    p.host->column_maxima(sizes, columns_on_host);
    EXPECT_EQ(of_rows, rows_on_host);
    EXPECT_EQ(of_columns, columns_on_host);
  }
}

TEST_F(GpuBandProducts, MultiplyAndDot) {
  for_products([&](Products& p) {
    const auto sums = p.x.device.coefficients(2);
    const Index columns = p.x.host.columns();
    std::vector<double> dot(static_cast<std::size_t>(columns)), again = dot;
    p.device->multiply_and_dot(p.x.device, p.halo, p.y.device, {*sums, 1});
    sums->read(1, dot);
    const auto product = bits(p.y.device);
    const std::vector<double> expected = dots(p.x.device, p.y.device);
    for (std::size_t c = 0; c < dot.size(); ++c) {
      const double bound = 1e-14 * (1 + static_cast<double>(p.matrix.nonzeros()));
      EXPECT_NEAR(dot[c], expected[c], bound);
    }
    p.device->multiply(p.x.device, p.halo, p.y.device);
    EXPECT_EQ(bits(p.y.device), product);
    p.device->multiply_and_dot(p.x.device, p.halo, p.y.device, {*sums, 1});
    sums->read(1, again);
    EXPECT_EQ(bits(again), bits(dot));
  });
}

TEST_F(GpuBandProducts, MultiplyTransposed) {
  for_products([&](Products& p) {
    for (const auto multiply :
         {&BandProducts::multiply_transposed, &BandProducts::multiply_magnitudes_transposed}) {
      Dense<double> host_halo, device_halo;
      (*p.host.*multiply)(p.x.host, p.y.host, host_halo);
      // Once more from the rows that are kept, where others' sums lay.
      for (int round = 0; round < 2; ++round) {
        p.y.device.fill(3);
        (*p.device.*multiply)(p.x.device, p.y.device, device_halo);
        const Dense<double> a = own_rows(p.y.device), b = own_rows(p.y.host);
        const double bound = 4e-16 * static_cast<double>(p.matrix.rows);
        for (std::size_t k = 0; k < b.values.size(); ++k) {
          ASSERT_NEAR(a.values[k], b.values[k], bound * (1 + std::abs(b.values[k])));
        }
        ASSERT_EQ(device_halo.rows, host_halo.rows);
        ASSERT_EQ(device_halo.columns, host_halo.columns);
        for (std::size_t k = 0; k < host_halo.values.size(); ++k) {
          ASSERT_NEAR(device_halo.values[k], host_halo.values[k],
                      bound * (1 + std::abs(host_halo.values[k])));
        }
        p.device->multiply(p.x.device, p.halo, p.y.device);
      }
    }
  });
}

TEST_F(GpuBandProducts, MultiplyMagnitudes) {
  for_products([&](Products& p) {
    p.host->multiply_magnitudes(0.25, p.x.host, p.halo, p.y.host);
    p.device->multiply_magnitudes(0.25, p.x.device, p.halo, p.y.device);
    const Dense<double> a = own_rows(p.y.device), b = own_rows(p.y.host);
    for (Index i = 0; i < b.rows; ++i) {
      for (Index c = 0; c < b.columns; ++c) {
        EXPECT_NEAR(a(i, c), b(i, c), 2 * p.length(i) * unit_roundoff * b(i, c));
      }
    }
  });
}

TEST_F(GpuBandProducts, MagnitudesDoNotOverflowOnTheWay) {
  Csr<double> matrix = rows_of_lengths({1, 2}, 2);
  matrix.values = {1e308, -1e308, 1e308};
  Products p(team, matrix, 1);
  set_own_rows(p.x.device, Dense<double>(2, 1, -4.0));
  p.device->multiply_magnitudes(1e-154, p.x.device, p.halo, p.y.device);
  EXPECT_NEAR(own_rows(p.y.device)(0, 0), 4, 1e-14);
  EXPECT_NEAR(own_rows(p.y.device)(1, 0), 8, 1e-14);
}

TEST_F(GpuBandProducts, ResidualsOfAnyRightHandSide) {
  for_products([&](Products& p) {
    VectorPair r(team, p.matrix.rows, p.x.host.columns(), 4);
    expect_same_residual(p, r);
  });
}

TEST_F(GpuBandProducts, ResidualsWhereAlmostAllCancels) {
  for_products([&](Products& p) {
    p.host->multiply(p.x.host, p.halo, p.y.host);
    set_own_rows(p.y.device, own_rows(p.y.host));
    VectorPair r(team, p.matrix.rows, p.x.host.columns(), 4);
    expect_same_residual(p, r);
  });
}

TEST_F(GpuBandProducts, ResidualsOfExactSolutionsAreZero) {
  for_products([&](Products& p) {
    Csr<double> whole = p.matrix;
    for (double& value : whole.values) value = std::round(1000 * value);
    Products exact(team, whole, p.x.host.columns());
    Dense<double> x = own_rows(exact.x.host);
    for (double& value : x.values) value = std::round(1000 * value);
    for (double& value : exact.halo.values) value = std::round(1000 * value);
    set_own_rows(exact.x.host, x);
    set_own_rows(exact.x.device, x);
    exact.host->multiply(exact.x.host, exact.halo, exact.y.host);
    set_own_rows(exact.y.device, own_rows(exact.y.host));
    VectorPair r(team, whole.rows, x.columns, 4);
    const ResidualNorms norms =
        exact.device->residual(exact.y.device, exact.x.device, exact.halo, r.device);
    EXPECT_EQ(own_rows(r.device).values, Dense<double>(whole.rows, x.columns).values);
    EXPECT_EQ(norms.componentwise, 0);
    for (const double largest : norms.residual) EXPECT_EQ(largest, 0);
  });
}

TEST_F(GpuBandProducts, ResidualsOfHilbertRows) {
  // b - A x of a solution with a condition of 1e13: double alone would leave no digit.
  for (const Index n : {10, 100, 600}) {
    std::vector<Index> lengths(static_cast<std::size_t>(n), n);
    Csr<double> hilbert = rows_of_lengths(lengths, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        hilbert.column_indices[i * n + j] = static_cast<LocalIndex>(j);
        hilbert.values[i * n + j] = 1 / static_cast<double>(i + j + 1);
      }
    }
    for (const Index columns : {1, 3, 8}) {
      Products p(team, hilbert, columns);
      Dense<double> x(n, columns), b(n, columns);
      for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < columns; ++c) x(i, c) = (i % 2 == 0 ? 1e9 : -1e9) * (1 + i * (c + 1));
      }
      for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < columns; ++c) {
          long double sum = 0;
          for (Index j = 0; j < n; ++j) {
            sum += static_cast<long double>(hilbert.values[i * n + j]) * x(j, c);
          }
          b(i, c) = static_cast<double>(sum);
        }
      }
      set_own_rows(p.x.host, x);
      set_own_rows(p.x.device, x);
      set_own_rows(p.y.host, b);
      set_own_rows(p.y.device, b);
      VectorPair r(team, n, columns, 4);
      expect_same_residual(p, r);
      EXPECT_GT(maxima(r.device)[0], 0);
    }
  }
}

TEST_F(GpuBandProducts, WhatIsNotFiniteShows) {
  for (const double value : {nan, infinity, -infinity, 1e308}) {
    for (const Index columns : {1, 4, 17}) {
      for (int where = 0; where < 3; ++where) {
        SCOPED_TRACE(testing::Message() << value << ", K = " << columns << ", case " << where);
        Csr<double> matrix = rows_of_lengths(std::vector<Index>(100, 40), 100);
        if (where == 0) matrix.values[1234] = value;
        for (double& entry : matrix.values) entry *= 4;
        Products p(team, matrix, columns);
        Dense<double> x = own_rows(p.x.host), b = own_rows(p.y.host);
        if (where == 1) x(50, columns / 2) = value;
        if (where == 2) b(50, columns / 2) = value;
        for (double& entry : b.values) entry *= 4;
        set_own_rows(p.x.host, x);
        set_own_rows(p.x.device, x);
        set_own_rows(p.y.host, b);
        set_own_rows(p.y.device, b);
        VectorPair r(team, 100, columns, 4);
        const ResidualNorms host = p.host->residual(p.y.host, p.x.host, p.halo, r.host);
        const ResidualNorms device = p.device->residual(p.y.device, p.x.device, p.halo, r.device);
        for (std::size_t c = 0; c < host.residual.size(); ++c) {
          EXPECT_TRUE(alike(device.residual[c], host.residual[c])) << c;
          EXPECT_TRUE(alike(device.right_hand_side[c], host.right_hand_side[c])) << c;
          EXPECT_TRUE(alike(device.solution[c], host.solution[c])) << c;
        }
        EXPECT_TRUE(alike(device.matrix, host.matrix));
        EXPECT_EQ(device.componentwise, host.componentwise);
        EXPECT_EQ(device.componentwise, infinity);
      }
    }
  }
}

TEST_F(GpuBandProducts, HaveTheSameBitsAgain) {
  for_products([&](Products& p) {
    VectorPair r(team, p.matrix.rows, p.x.host.columns(), 4);
    const ResidualNorms norms = p.device->residual(p.y.device, p.x.device, p.halo, r.device);
    const auto residual = bits(r.device);
    p.device->multiply(p.x.device, p.halo, r.device);
    const auto product = bits(r.device);
    const auto again = device_band_products(p.matrix, p.matrix.rows);
    if (p.in_one_more_form) again->expect_many();
    again->multiply(p.x.device, p.halo, r.device);
    EXPECT_EQ(bits(r.device), product);
    const ResidualNorms others = again->residual(p.y.device, p.x.device, p.halo, r.device);
    EXPECT_EQ(bits(r.device), residual);
    EXPECT_EQ(others.residual, norms.residual);
    EXPECT_EQ(others.matrix, norms.matrix);
    EXPECT_EQ(others.componentwise, norms.componentwise);
  });
}

TEST_F(GpuBandProducts, OfASystemMatrix) {
  const Csr<double> rows = rows_of_lengths(std::vector<Index>(700, 9), 700);
  const RowLayout layout{700, 1};
  SystemMatrix host(team, layout, rows), device(team, layout, rows, device_vector_memory());
  for (const Index columns : {1, 3, 8}) {
    const VectorPair x(team, 700, columns, 1), b(team, 700, columns, 2);
    const auto expect_near = [&](const Vectors& a, const Vectors& of_host) {
      const Dense<double> there = own_rows(a), here = own_rows(of_host);
      for (std::size_t k = 0; k < here.values.size(); ++k) {
        ASSERT_NEAR(there.values[k], here.values[k], 1e-14);
      }
    };
    const auto y = device.vectors(columns), of_host = host.vectors(columns);
    device.apply(x.device, *y);
    host.apply(x.host, *of_host);
    expect_near(*y, *of_host);
    device.apply_transposed(x.device, *y);
    host.apply_transposed(x.host, *of_host);
    expect_near(*y, *of_host);
    const ResidualNorms there = device.residual(b.device, x.device, *y);
    const ResidualNorms here = host.residual(b.host, x.host, *of_host);
    expect_near(*y, *of_host);
    EXPECT_NEAR(there.componentwise, here.componentwise, 1e-14);
    std::vector<double> values = rows.values;
    for (double& value : values) value *= 2;
    device.set_values(values);
    host.set_values(std::move(values));
    device.apply(x.device, *y);
    host.apply(x.host, *of_host);
    expect_near(*y, *of_host);
    device.apply_transposed(x.device, *y);
    host.apply_transposed(x.host, *of_host);
    expect_near(*y, *of_host);
    device.bands().expect_many_products();  // in one more form, which takes new values, too
    device.set_values(rows.values);
    host.set_values(rows.values);
    device.apply(x.device, *y);
    host.apply(x.host, *of_host);
    expect_near(*y, *of_host);
  }
}

}  // namespace
}  // namespace spsolve::cuda
