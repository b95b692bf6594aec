// Multivectors whose rows 2i and 2i + 1 are the parts of complex numbers, beside plain loops.

#include <complex>

#include <gtest/gtest.h>

#include "helpers/systems_in_bands.hpp"
#include "helpers/threads.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve {
namespace {

using Complex = std::complex<double>;

/// The numbers of a real form of them.
struct Numbers {
  explicit Numbers(const Dense<double>& rows)
      : columns(rows.columns), values(static_cast<std::size_t>(rows.rows / 2 * rows.columns)) {
    for (Index i = 0; i < rows.rows / 2; ++i) {
      for (Index c = 0; c < columns; ++c) at(i, c) = {rows(2 * i, c), rows(2 * i + 1, c)};
    }
  }
  Index rows() const { return columns > 0 ? std::ssize(values) / columns : 0; }
  Complex& at(Index i, Index c) { return values[i * columns + c]; }
  const Complex& at(Index i, Index c) const { return values[i * columns + c]; }

  Index columns;
  std::vector<Complex> values;
};

class ComplexVectorsTest : public testing::Test {
 protected:
  template <typename Work>
  void for_sizes(const Work& work) {
    for (const Index rows : {0, 2, 30, 4096, 4098, 20000}) {
      for (const Index columns : {1, 2, 5}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        const auto x = test::vectors_of(team, random_multivector(rows, columns, 1));
        const auto y = test::vectors_of(team, random_multivector(rows, columns, 2));
        std::vector<Complex> factors;
        for (Index c = 0; c < columns; ++c) factors.emplace_back(0.5 + static_cast<double>(c), -2);
        work(*x, *y, factors);
      }
    }
  }

  static void expect_near(const Vectors& x, const Numbers& expected) {
    const Numbers found(own_rows(x));
    ASSERT_EQ(found.values.size(), expected.values.size());
    for (std::size_t k = 0; k < found.values.size(); ++k) {
      ASSERT_LE(std::abs(found.values[k] - expected.values[k]), 1e-13) << k;
    }
  }

  SoloTeam team;
};

TEST_F(ComplexVectorsTest, MultiplesAreAddedAndCombined) {
  for_sizes([](Vectors& x, const Vectors& y, const std::vector<Complex>& factors) {
    Numbers expected(own_rows(x));
    const Numbers other(own_rows(y));
    const auto change = [&](const auto& of) {
      for (Index i = 0; i < expected.rows(); ++i) {
        for (Index c = 0; c < expected.columns; ++c) {
          expected.at(i, c) = of(expected.at(i, c), other.at(i, c), factors[c]);
        }
      }
      expect_near(x, expected);
    };
    x.add_multiples(factors, y);
    change([](Complex a, Complex b, Complex f) { return a + f * b; });
    std::vector<Complex> own = factors;
    for (Complex& value : own) value = std::conj(value) / 4.0;
    x.combine(own, factors, y);
    change([](Complex a, Complex b, Complex f) { return std::conj(f) / 4.0 * a + f * b; });
    x.scale_columns(own);
    change([](Complex a, Complex, Complex f) { return std::conj(f) / 4.0 * a; });
    // An own factor of zero takes nothing of what is there.
    x.fill(std::numeric_limits<double>::quiet_NaN());
    x.combine(std::vector<Complex>(own.size()), factors, y);
    change([](Complex, Complex b, Complex f) { return f * b; });
  });
}

TEST_F(ComplexVectorsTest, SumsAreThoseOfComplexNumbers) {
  for_sizes([](Vectors& x, const Vectors& y, const std::vector<Complex>& factors) {
    const Numbers left(own_rows(x)), right(own_rows(y));
    std::vector<std::unique_ptr<Vectors>> both;
    both.push_back(copy_of(y));
    both.push_back(copy_of(x));
    const auto adjoint = dots<Complex>(x, y), plain = bilinear<Complex>(x, y);
    const auto of_each = dots<Complex>(x, both);
    const std::vector<double> squares = dots(x, x);
    for (Index c = 0; c < left.columns; ++c) {
      Complex one, other;
      for (Index i = 0; i < left.rows(); ++i) {
        one += std::conj(left.at(i, c)) * right.at(i, c);
        other += left.at(i, c) * right.at(i, c);
      }
      EXPECT_LE(std::abs(adjoint[c] - one), 1e-11);
      EXPECT_LE(std::abs(plain[c] - other), 1e-11);
      EXPECT_EQ(of_each[c], adjoint[c]);
      EXPECT_LE(std::abs(of_each[left.columns + c] - squares[c]), 1e-10);
    }
    // One after another is as all at once.
    std::vector<Complex> twice = factors;
    twice.insert(twice.end(), factors.begin(), factors.end());
    const auto together = copy_of(x), apart = copy_of(x);
    together->add_multiples_of_each(std::span<const Complex>(twice), both);
    apart->add_multiples(factors, *both[0]);
    apart->add_multiples(factors, *both[1]);
    EXPECT_EQ(own_rows(*together).values, own_rows(*apart).values);
  });
}

TEST_F(ComplexVectorsTest, BitsDoNotDependOnTheThreads) {
  const auto x = test::vectors_of(team, random_multivector(40000, 1, 1));
  const auto y = test::vectors_of(team, random_multivector(40000, 1, 2));
  std::vector<std::vector<Complex>> results;
  for (const int threads : {1, 2, 3}) {
    const test::Threads some(threads);
    results.push_back(dots<Complex>(*x, *y));
    results.push_back(bilinear<Complex>(*x, *y));
  }
  for (std::size_t k = 2; k < results.size(); ++k) EXPECT_EQ(results[k], results[k - 2]);
}

}  // namespace
}  // namespace spsolve
