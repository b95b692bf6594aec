#include "core/worth_threads.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

TEST(WorthThreads, FewElementsAreNotAndVeryManyAreHoweverBusyProcessorsAre) {
  EXPECT_FALSE(worth_threads(0));
  EXPECT_FALSE(worth_threads(worthwhile_elements));
  EXPECT_TRUE(worth_threads(64 * worthwhile_elements + 1));
  EXPECT_FALSE(worth_threads(100, 100));
  EXPECT_TRUE(worth_threads(6401, 100));
}

TEST(WorthThreads, BetweenThemProcessorsDecide) {
  const bool busy = processors_are_busy();
  // A look that lies between may find another state: one of two answers is as it was.
  EXPECT_TRUE(worth_threads(worthwhile_elements + 1) != busy || processors_are_busy() != busy);
}

}  // namespace
}  // namespace spsolve
