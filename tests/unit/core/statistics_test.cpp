#include "core/statistics.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace spsolve {

TEST(Statistics, OfNothingAndOfOne) {
  EXPECT_EQ(statistics_of({}).count, 0);
  EXPECT_EQ(statistics_of({}).median, 0.0);
  const Statistics one = statistics_of(std::vector{3.5});
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.mean, 3.5);
  EXPECT_EQ(one.variance, 0.0);
  EXPECT_EQ(one.median, 3.5);
  EXPECT_EQ(one.min, 3.5);
  EXPECT_EQ(one.max, 3.5);
}

TEST(Statistics, OfSeveralInAnyOrder) {
  const Statistics odd = statistics_of(std::vector{9.0, 2.0, 4.0, 4.0, 5.0, 4.0, 7.0});
  EXPECT_DOUBLE_EQ(odd.mean, 5.0);
  EXPECT_DOUBLE_EQ(odd.variance, 32.0 / 6.0);
  EXPECT_EQ(odd.median, 4.0);
  EXPECT_EQ(odd.min, 2.0);
  EXPECT_EQ(odd.max, 9.0);
  EXPECT_EQ(statistics_of(std::vector{4.0, 1.0, 3.0, 2.0}).median, 2.5);
}

TEST(Statistics, WelfordKeepsTheVarianceOfLargeCloseValues) {
  // The textbook formula, sum of squares minus n mean^2, has no correct digit here.
  Welford welford;
  for (const double value : {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}) welford.add(value);
  EXPECT_EQ(welford.count(), 4);
  EXPECT_DOUBLE_EQ(welford.mean(), 1e9 + 10);
  EXPECT_DOUBLE_EQ(welford.variance(), 30.0);
}

TEST(Statistics, ANanStaysVisible) {
  const Statistics result =
      statistics_of(std::vector{1.0, std::numeric_limits<double>::quiet_NaN(), 2.0});
  EXPECT_EQ(result.count, 3);
  for (const double figure : {result.mean, result.variance, result.median, result.min, result.max})
    EXPECT_TRUE(std::isnan(figure));
}

}  // namespace spsolve
