#include "core/scalar.hpp"

#include <complex>
#include <limits>

#include <gtest/gtest.h>

#include "core/types.hpp"

namespace spsolve {
namespace {

template <typename T>
class ScalarTest : public testing::Test {};

using AllScalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ScalarTest, AllScalars);

TYPED_TEST(ScalarTest, HasMagnitudesOfItsRealType) {
  using T = TypeParam;
  constexpr bool of_float = std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>;
  EXPECT_TRUE((std::is_same_v<Real<T>, std::conditional_t<of_float, float, double>>));
  EXPECT_TRUE(
      (std::is_same_v<Low<T>, std::conditional_t<is_complex<T>, std::complex<float>, float>>));
  EXPECT_TRUE((std::is_same_v<decltype(magnitude(T())), Real<T>>));
  EXPECT_TRUE((std::is_same_v<decltype(pivot_size(T())), Real<T>>));
  EXPECT_TRUE((std::is_same_v<decltype(conj(T())), T>));
  EXPECT_EQ(is_complex<T>, !std::is_floating_point_v<T>);
  EXPECT_EQ(precision_of<T>, of_float ? Precision::float32 : Precision::float64);
}

TYPED_TEST(ScalarTest, TakesMagnitudesAndConjugates) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    EXPECT_EQ(magnitude(T(-3, 4)), 5);
    EXPECT_EQ(pivot_size(T(-3, 4)), 7);
    EXPECT_EQ(spsolve::conj(T(-3, 4)), T(-3, -4));
    EXPECT_EQ(conj(T(-3, 4)), T(-3, -4));
  } else {
    EXPECT_EQ(magnitude(T(-3)), 3);
    EXPECT_EQ(pivot_size(T(-3)), 3);
    EXPECT_EQ(conj(T(-3)), -3);
  }
}

TYPED_TEST(ScalarTest, KeepsASignAndTellsFiniteNumbers) {
  using T = TypeParam;
  constexpr auto infinity = std::numeric_limits<Real<T>>::infinity();
  EXPECT_EQ(with_magnitude(T(0), Real<T>(2)), T(2));
  EXPECT_TRUE(is_finite(T(1)));
  EXPECT_FALSE(is_finite(T(infinity)));
  if constexpr (is_complex<T>) {
    EXPECT_EQ(with_magnitude(T(0, -3), Real<T>(6)), T(0, -6));
    EXPECT_FALSE(is_finite(T(1, infinity)));
  } else {
    EXPECT_EQ(with_magnitude(T(-3), Real<T>(6)), -6);
  }
}

TYPED_TEST(ScalarTest, IsFoundByPrecisionAndField) {
  using T = TypeParam;
  using Field = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  EXPECT_TRUE(with_scalar<Field>(precision_of<T>,
                                 [](auto found) { return std::is_same_v<decltype(found), T>; }));
}

template <typename T>
struct Numbered {
  int number = sizeof(T);
};

class HasNumbers final : public ForScalars<Numbered> {
 public:
  PerScalar per_scalar() override { return pointers_to(numbers_); }

 private:
  Scalars::Tuple<Numbered> numbers_;
};

TEST(ForScalars, HasOneOfEach) {
  HasNumbers numbers;
  EXPECT_EQ(numbers.of<float>().number, 4);
  EXPECT_EQ(numbers.of<double>().number, 8);
}

}  // namespace
}  // namespace spsolve
