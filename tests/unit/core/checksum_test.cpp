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

}  // namespace
}  // namespace spsolve
