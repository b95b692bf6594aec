#include "matrix/complex_numbers.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

/// One part of [0 1+4i 2-5i; 0 0 0; 3 0 -6i].
Csr<double> part(std::vector<double> values) {
  return {.rows = 3,
          .columns = 3,
          .row_offsets = {0, 2, 2, 4},
          .column_indices = {1, 2, 0, 2},
          .values = std::move(values)};
}

TEST(ComplexNumbers, AreThoseOfTheRealFormWithEitherSigns) {
  Csr<double> form = real_form(part({1, 2, 3, 0}), part({4, -5, 0, -6}));
  for (const bool conjugated : {false, true}) {
    if (conjugated) conjugate_rows(form);
    const auto a = complex_numbers_of(form);
    EXPECT_EQ(a.rows, 3);
    EXPECT_EQ(a.columns, 3);
    EXPECT_EQ(a.row_offsets, (std::vector<Index>{0, 2, 2, 4}));
    EXPECT_EQ(a.column_indices, (std::vector<LocalIndex>{1, 2, 0, 2}));
    EXPECT_EQ(a.values, (std::vector<std::complex<double>>{{1, 4}, {2, -5}, {3, 0}, {0, -6}}));
  }
}

TEST(ComplexNumbers, HaveModuliOfAnySize) {
  EXPECT_EQ(modulus(3, -4), 5);
  EXPECT_EQ(modulus(std::complex<float>(-3, 4)), 5.0f);
  EXPECT_EQ(modulus(-2.0), 2);
  EXPECT_EQ(modulus(0, 0), 0);
  EXPECT_DOUBLE_EQ(modulus(3e-300, 4e-300), 5e-300);
  EXPECT_DOUBLE_EQ(modulus(3e300, 4e300), 5e300);
  constexpr double most = std::numeric_limits<double>::max();
  EXPECT_EQ(modulus(most, most), most);
  EXPECT_TRUE(std::isinf(modulus(std::numeric_limits<double>::infinity(), 0)));
  EXPECT_TRUE(std::isnan(modulus(std::nan(""), 1)));
}

TEST(ComplexNumbers, OfNoRowsAreNone) {
  const auto a = complex_numbers_of(Csr<float>{});
  EXPECT_EQ(a.rows, 0);
  EXPECT_EQ(a.nonzeros(), 0);
}

}  // namespace
}  // namespace spsolve
