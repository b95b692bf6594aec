#include "sparse/places/room.hpp"

#include <gtest/gtest.h>

namespace spsolve {
namespace {

TEST(Room, TakesTheFirstGapThatIsLargeEnough) {
  Room room(100);
  EXPECT_EQ(room.take(10), 100);
  EXPECT_EQ(room.take(20), 110);
  EXPECT_EQ(room.take(5), 130);
  room.give_back(100, 10);
  EXPECT_EQ(room.take(12), 135);
  EXPECT_EQ(room.take(4), 100);
  room.give_back(110, 20);  // which joins what is left before it
  EXPECT_EQ(room.take(26), 104);
  EXPECT_EQ(room.end(), 147);
}

TEST(Room, JoinsGapsOnBothSides) {
  Room room(0);
  for (int i = 0; i < 3; ++i) room.take(10);
  room.give_back(0, 10);
  room.give_back(20, 10);
  room.give_back(10, 10);
  EXPECT_EQ(room.take(30), 0);
  EXPECT_EQ(room.end(), 30);
}

TEST(Room, LosesNothingByBlocksOfNoSize) {
  Room room(0);
  const Index nothing = room.take(0);
  room.give_back(nothing, 0);
  const Index block = room.take(10);
  room.give_back(block, 10);
  EXPECT_EQ(room.take(10), block);
  EXPECT_EQ(room.end(), 10);
}

}  // namespace
}  // namespace spsolve
