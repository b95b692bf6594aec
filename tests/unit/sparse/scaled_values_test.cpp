#include "sparse/values/scaled_values.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "helpers/coo.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "sparse/values/inverse_power.hpp"

namespace spsolve {
namespace {

TEST(InversePower, IsTheNearestOneOnALogarithmicScale) {
  EXPECT_EQ(inverse_power(1, false), 1);
  EXPECT_EQ(inverse_power(1.41, false), 1);
  EXPECT_EQ(inverse_power(std::numbers::sqrt2, false), 0.5);
  EXPECT_EQ(inverse_power(std::nextafter(std::numbers::sqrt2, 0), false), 1);
  EXPECT_EQ(inverse_power(0.75, false), 1);
  EXPECT_EQ(inverse_power(0.70, false), 2);
  EXPECT_EQ(inverse_power(16, true), 0.25);
  EXPECT_EQ(inverse_power(0x1p-40, true), 0x1p20);
  for (double value = 0x1.7p-1020; value < 0x1p1020; value *= 0x1.37p3) {
    if (std::abs(std::log2(value)) > 990) continue;  // powers end at 2^1000
    EXPECT_NEAR(std::log2(inverse_power(value, false) * value), 0, 0.5 + 1e-12) << value;
    EXPECT_NEAR(std::log2(inverse_power(value, true)) + std::log2(value) / 2, 0, 0.5 + 1e-12)
        << value;
  }
}

TEST(InversePower, StaysWithinItsLimits) {
  const double denormal = 0x1p-1074, most = std::numeric_limits<double>::max();
  EXPECT_EQ(inverse_power(denormal, false), 0x1p1000);
  EXPECT_EQ(inverse_power(denormal, true), 0x1p537);
  EXPECT_EQ(inverse_power(0x1p-1060, true), 0x1p530);
  EXPECT_EQ(inverse_power(most, false), 0x1p-1000);
  EXPECT_EQ(inverse_power(most, true), 0x1p-512);
  for (const double none : {0.0, -0.0, -4.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(inverse_power(none, false), 1) << none;
    EXPECT_EQ(inverse_power(none, true), 1) << none;
  }
}

/// ( 8 . 2 ; -64 0.5 . ; . . 16 )
Csr<double> small_matrix() {
  Coo list;
  list.rows = list.columns = 3;
  test::add(list, 0, 0, 8);
  test::add(list, 0, 2, 2);
  test::add(list, 1, 0, -64);
  test::add(list, 1, 1, 0.5);
  test::add(list, 2, 2, 16);
  return csr_from_coo(std::move(list));
}

TEST(ScaledValues, ScalesRowsAndThenColumns) {
  const Csr<double> matrix = small_matrix();
  const auto values = host_scaled_values(matrix);
  values->begin({}, {});
  values->find_maxima(false);
  const ScaledValues::Spreads spreads = values->spreads();
  EXPECT_EQ(spreads.rows.most, 64);
  EXPECT_EQ(spreads.rows.least, 8);
  EXPECT_EQ(spreads.columns.most, 64);
  EXPECT_EQ(spreads.columns.least, 0.5);
  values->scale_rows(false);
  values->find_maxima(false);
  values->scale_columns();
  Equilibration scaling;
  values->read_factors(scaling);
  EXPECT_EQ(scaling.rows, (std::vector<double>{0.125, 0x1p-6, 0.0625}));
  EXPECT_EQ(scaling.columns, (std::vector<double>{1, 128, 1}));
  values->finish(true);
  EXPECT_EQ(values->on_host(), (std::vector<double>{1, 0.25, -1, 1, 1}));
  EXPECT_EQ(values->largest(), 1);
  values->finish(false);
  EXPECT_EQ(values->on_host(), matrix.values);
  EXPECT_EQ(values->largest(), 64);
}

TEST(ScaledValues, BeginsWithGivenFactors) {
  const Csr<double> matrix = small_matrix();
  const auto values = host_scaled_values(matrix);
  values->begin(std::vector<double>{2, 4, 8}, std::vector<double>{1, 0.5, 0.25});
  values->finish(true);
  EXPECT_EQ(values->on_host(), (std::vector<double>{16, 1, -256, 1, 32}));
}

TEST(ScaledValues, AreThoseOfSomeEntriesWhereAskedFor) {
  const Csr<double> matrix = small_matrix();
  const auto values = host_scaled_values(matrix);
  const Index some[] = {0, 3, 4};
  values->take_only(some);
  values->begin(std::vector<double>{2, 4, 8}, std::vector<double>{1, 0.5, 0.25});
  values->finish(true);
  EXPECT_EQ(values->on_host(), (std::vector<double>{16, 1, 32}));
  EXPECT_EQ(values->largest(), 32);
  values->finish(false);
  EXPECT_EQ(values->on_host(), (std::vector<double>{8, 0.5, 16}));
}

TEST(ScaledValues, TellValuesThatAreNoNumbers) {
  Csr<double> matrix = small_matrix();
  matrix.values[1] = std::nan("");
  const auto values = host_scaled_values(matrix);
  values->begin({}, {});
  values->find_maxima(false);
  EXPECT_EQ(values->spreads().rows.least, 8) << "they count as nothing until then";
  values->finish(false);
  EXPECT_EQ(values->largest(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace spsolve
