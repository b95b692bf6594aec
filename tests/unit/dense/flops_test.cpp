#include "dense/state/flops.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

/// Flops of the steps [first, n), counted: a product and a difference for each element after column
/// k of every row that changes.
double counted(Method method, Index first, Index n) {
  double flops = 0;
  for (Index k = first; k < n; ++k) {
    const Index rows = method == Method::gauss_jordan ? n - 1 : n - k - 1;
    flops += 2.0 * static_cast<double>(rows) * static_cast<double>(n - k - 1);
  }
  return flops;
}

TEST(Flops, AreThoseOfTheStepsThatAreLeft) {
  const Index n = 1000;
  for (const Method method : {Method::lu, Method::gauss, Method::gauss_jordan}) {
    const double whole = elimination_flops(method, n);
    for (const Index done : {0, 1, 300, 500, 999, 1000}) {
      EXPECT_NEAR(whole * (1.0 - share_done(method, done, n)), counted(method, done, n),
                  0.003 * whole)
          << static_cast<int>(method) << ", " << done;
    }
    EXPECT_EQ(share_done(method, 0, n), 0.0);
    EXPECT_EQ(share_done(method, n, n), 1.0);
  }
}

TEST(Flops, HalfOfTheColumnsAreMostOfTheWork) {
  EXPECT_DOUBLE_EQ(share_done(Method::lu, 4, 8), 0.875);
  EXPECT_DOUBLE_EQ(share_done(Method::gauss_jordan, 4, 8), 0.75);
}

TEST(Flops, OfNothingAreDone) {
  EXPECT_EQ(elimination_flops(Method::lu, 0), 0.0);
  EXPECT_EQ(share_done(Method::gauss_jordan, 0, 0), 1.0);
}

}  // namespace
}  // namespace spsolve
