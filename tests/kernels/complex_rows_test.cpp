// Products of complex matrices, which their real forms are multiplied by.

#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/untouched_array.hpp"
#include "kernels/kernel_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/real_form.hpp"
#include "multiply/auto_product.hpp"
#include "multiply/fast/fast_sliced.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve {
namespace {

/// The real form of random numbers in a pattern, as it is or with conjugate rows.
Csr<double> complex_matrix(Index columns, const std::vector<std::vector<LocalIndex>>& rows,
                           bool conjugates) {
  const Csr<double> s = with_pattern(columns, rows);
  Csr<double> t = s;
  std::ranges::reverse(t.values);
  Csr<double> form = real_form(s, t);
  if (conjugates) conjugate_rows(form);
  return form;
}

const Kernel& complex_rows() {
  return find_kernel(host_kernels(), "complex_rows");
}

TEST(ComplexRows, EveryPatternAndNumberOfColumns) {
  auto with_gaps = random_rows(2500, 3000, 0, 2);
  for (Index i = 0; i < 2500; i += 97) with_gaps[i] = random_rows(1, 3000, 60, 200)[0];
  for (Index i = 1200; i < 1700; ++i) with_gaps[i].clear();
  auto wide = random_rows(40, 200, 0, 9);
  wide[3] = {0, 65536};  // distances that do not fit 16 bits
  for (const bool conjugates : {false, true}) {
    expect_all_right(complex_matrix(90, random_rows(300, 90, 0, 40), conjugates), {1, 2},
                     {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 40});
    expect_all_right(complex_matrix(3000, with_gaps, conjugates), {1, 3}, {1, 5});
    expect_all_right(complex_matrix(65537, wide, conjugates), {2}, {1, 4});
    expect_all_right(complex_matrix(4, {{}, {}, {1}}, conjugates), {2}, {1, 4});
  }
}

/// Every number of columns by a format that is made for `made_for` of them.
template <typename T>
void expect_all_columns(const Csr<double>& matrix, Index made_for) {
  const Csr<T> rows = as<T>(matrix);
  const auto product = prepare<T>(complex_rows(), rows, {made_for, 1, 0});
  for (Index columns = 1; columns <= 17; ++columns) {
    expect_right(*product, rows, columns, "made for " + std::to_string(made_for));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ComplexRows, EveryRestOfRowsEntriesAndColumns) {
  std::vector<std::vector<LocalIndex>> rows;
  // All lengths in every place of a slice, last slices of all sizes, rows that are alone.
  for (Index count = 1; count <= 9; ++count) {
    for (Index i = 0; i < count; ++i) rows.push_back(random_rows(1, 300, 0, 9)[0]);
    for (Index i = 0; i < count; ++i) rows.push_back(all_columns((i * 7 + count) % 10));
    rows.push_back(all_columns(62 + count));
    const Csr<double> matrix = complex_matrix(300, rows, count % 2 == 0);
    for (const Index made_for : {1, 4, 16}) {
      expect_all_columns<double>(matrix, made_for);
      expect_all_columns<float>(matrix, made_for);
    }
  }
}

TEST(ComplexRows, SameBitsPastTheCaches) {
  const Csr<double> matrix = complex_matrix(300, random_rows(700, 300, 0, 20), true);
  for (const Index columns : {1, 2, 3, 4, 5, 8, 16, 24, 40}) {
    const auto product = ComplexRows<double>::from_csr(matrix, {columns, 1, 0});
    const std::vector<double> x = random_x<double>(matrix.columns, columns);
    UntouchedArray<double> past(matrix.rows * columns + 1), plain(matrix.rows * columns);
    for (const Index shift : {0, 1}) {  // from where registers can be stored, and not
      std::fill_n(past.data(), past.size(), NAN);
      for (Index block = 0; block < product.blocks().count(); ++block) {
        const Index first = product.blocks().rows(block).first * columns;
        product.multiply_block(block, x.data(), past.data() + first + shift, columns, true);
        product.multiply_block(block, x.data(), plain.data() + first, columns, false);
      }
      EXPECT_TRUE(std::equal(plain.data(), plain.data() + plain.size(), past.data() + shift))
          << columns;
    }
  }
}

TEST(ComplexRows, SameBitsForAnyThreads) {
  const Csr<double> matrix = complex_matrix(4000, random_rows(3000, 4000, 0, 30), false);
  for (const Index columns : {1, 2, 4, 5, 8, 16}) {
    const std::vector<double> x = random_x<double>(matrix.columns, columns);
    const auto alone = prepare<double>(complex_rows(), matrix, {columns, 1, 0});
    const auto both = prepare<double>(complex_rows(), matrix, {columns, 2, 0});
    EXPECT_EQ(product_of(*alone, matrix, x, columns), product_of(*both, matrix, x, columns));
  }
}

TEST(ComplexRows, WhatIsNoNumberStaysInItsRowsAndTinyOnesAreExact) {
  const std::vector<std::vector<LocalIndex>> rows{{0, 1}, {1, 4}, {2}, {0, 1, 2, 3}, {4}, {}, {5}};
  Csr<double> matrix = complex_matrix(6, rows, false);
  for (const Index columns : {1, 3}) {
    std::vector<double> x(12 * columns, 1);
    for (Index c = 0; c < columns; ++c) x[9 * columns + c] = NAN;  // the imaginary part of x_4
    const auto product = prepare<double>(complex_rows(), matrix, {columns, 2, 0});
    const auto y = product_of(*product, matrix, x, columns);
    for (Index i = 0; i < matrix.rows; ++i) {
      EXPECT_EQ(std::isnan(y[i * columns]), i / 2 == 1 || i / 2 == 4) << i;
    }
  }
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for (double& value : matrix.values) value = std::copysign(3 * tiny, value);
  const std::vector<double> x(12, 2);
  const auto plain = prepare<double>(find_kernel(host_kernels(), "csr_serial"), matrix, {});
  const auto product = prepare<double>(complex_rows(), matrix, {1, 1, 0});
  const std::vector<double> y = product_of(*product, matrix, x, 1);
  EXPECT_EQ(y, product_of(*plain, matrix, x, 1));
  EXPECT_GT(std::ranges::count_if(y, [](double v) { return std::abs(v) >= 6 * tiny; }), 3);
}

TEST(ComplexRows, OtherMatricesAreRefused) {
  const Csr<double> form = complex_matrix(90, random_rows(300, 90, 1, 40), false);
  EXPECT_EQ(complex_rows().refuse(facts_for(complex_rows(), form, 1), 1, 8), "");
  for (const Index changed : {Index{0}, form.nonzeros() - 1}) {
    Csr<double> other = form;
    other.values[changed] += 1;
    EXPECT_NE(complex_rows().refuse(facts_for(complex_rows(), other, 1), 1, 8), "");
  }
  // One row pair as it is, one conjugate.
  Csr<double> mixed = complex_matrix(4, {{0, 1}, {2}}, false);
  EXPECT_EQ(real_form_kind(mixed), RealFormKind::plain);
  for (Index k = mixed.row_offsets[3]; k < mixed.row_offsets[4]; ++k) mixed.values[k] *= -1;
  EXPECT_EQ(real_form_kind(mixed), RealFormKind::none);
  EXPECT_EQ(real_form_kind(generate_matrix("grid2d:4")), RealFormKind::none);
  const Csr<double> shifted = with_pattern(4, {{1, 2}, {1, 2}});
  EXPECT_EQ(real_form_kind(shifted), RealFormKind::none);
}

TEST(ComplexRows, AreWhatAutoTakesFirst) {
  const Csr<double> form = complex_matrix(900, random_rows(300, 900, 1, 40), true);
  EXPECT_EQ(likely_kernels(form, 4), std::vector<std::string_view>{"complex_rows"});
  EXPECT_EQ(likely_kernels(form, 16).front(), "complex_rows");
  const Kernel& chooses = find_kernel(host_kernels(), "auto");
  EXPECT_EQ(prepare<double>(chooses, form, {1, 1, 0, 1})->detail(), "complex_rows");
}

}  // namespace
}  // namespace spsolve
