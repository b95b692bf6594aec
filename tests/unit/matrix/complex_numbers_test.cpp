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

TEST(ComplexNumbers, OfNoRowsAreNone) {
  const auto a = complex_numbers_of(Csr<float>{});
  EXPECT_EQ(a.rows, 0);
  EXPECT_EQ(a.nonzeros(), 0);
}

}  // namespace
}  // namespace spsolve
