#include "core/checksum.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace spsolve {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Checksum, IsThatOfTheSpecification) {
  EXPECT_EQ(checksum({}), 0xEF46DB3751D8E999u);
  EXPECT_EQ(checksum(bytes_of("a")), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(checksum(bytes_of("abc")), 0x44BC2CF5AD770999u);
  EXPECT_EQ(checksum(bytes_of("Nobody inspects the spammish repetition")), 0xFBCEA83C8A378BF1u);
}

TEST(Checksum, IsTheSameInAnyPieces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * i);
  for (std::size_t length = 0; length <= text.size(); length += 7) {
    const auto whole = bytes_of(text).first(length);
    for (const std::size_t piece : {1, 3, 8, 31, 32, 33, 100}) {
      Checksum sum;
      for (std::size_t done = 0; done < length; done += piece) {
        sum.add(whole.subspan(done, std::min(piece, length - done)));
      }
      EXPECT_EQ(sum.value(), checksum(whole)) << length << " by " << piece;
    }
  }
}

TEST(Checksum, OfBlocksHangsOnEveryByteAndOnTheirNumber) {
  std::string text((std::size_t{1} << 21) + 5, 'x');
  const std::uint64_t whole = checksum_of_blocks(bytes_of(text));
  EXPECT_EQ(checksum_of_blocks(bytes_of(text)), whole);
  EXPECT_NE(checksum_of_blocks(bytes_of(text).first(text.size() - 1)), whole);
  for (const std::size_t place : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
    std::string other = text;
    other[place] = 'y';
    EXPECT_NE(checksum_of_blocks(bytes_of(other)), whole) << place;
  }
  EXPECT_NE(checksum_of_blocks(bytes_of("a")), checksum_of_blocks({}));
}

}  // namespace
}  // namespace spsolve
