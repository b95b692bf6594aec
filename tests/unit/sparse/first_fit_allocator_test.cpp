#include "sparse/dissection/first_fit_allocator.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

TEST(FirstFitAllocator, TakesTheFirstGapThatIsLargeEnough) {
  FirstFitAllocator allocator(100);
  EXPECT_EQ(allocator.allocate(10), 100);
  EXPECT_EQ(allocator.allocate(20), 110);
  EXPECT_EQ(allocator.allocate(5), 130);
  allocator.release(100, 10);
  EXPECT_EQ(allocator.allocate(12), 135);
  EXPECT_EQ(allocator.allocate(4), 100);
  allocator.release(110, 20);  // which joins what is left before it
  EXPECT_EQ(allocator.allocate(26), 104);
  EXPECT_EQ(allocator.end(), 147);
}

TEST(FirstFitAllocator, JoinsGapsOnBothSides) {
  FirstFitAllocator allocator(0);
  for (int i = 0; i < 3; ++i) allocator.allocate(10);
  allocator.release(0, 10);
  allocator.release(20, 10);
  allocator.release(10, 10);
  EXPECT_EQ(allocator.allocate(30), 0);
  EXPECT_EQ(allocator.end(), 30);
}

TEST(FirstFitAllocator, LosesNothingByBlocksOfNoSize) {
  FirstFitAllocator allocator(0);
  const Index nothing = allocator.allocate(0);
  allocator.release(nothing, 0);
  const Index block = allocator.allocate(10);
  allocator.release(block, 10);
  EXPECT_EQ(allocator.allocate(10), block);
  EXPECT_EQ(allocator.end(), 10);
}

}  // namespace
}  // namespace spsolve
