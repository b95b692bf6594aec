#include "core/plain_text.hpp"

#include <string>

#include <gtest/gtest.h>

#include "helpers/error_of.hpp"

namespace spsolve {
namespace {

TEST(PlainText, LeavesWhatPeopleWrite) {
  for (const char* text : {"", "a line", "two\nlines\tand a tab\n", "Größe, 行列, 𝛼", "~!\""}) {
    EXPECT_EQ(without_controls(text), text);
    EXPECT_EQ(plain_text(text), text);
  }
}

TEST(PlainText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(without_controls("a\x1b[31mb\r\b\x7f"), "a\\x1b[31mb\\x0d\\x08\\x7f");
  EXPECT_EQ(without_controls("a\xc2\x9b"
                             "31m"),
            "a\\xc2\\x9b31m");  // one byte's form of ESC [
  EXPECT_EQ(without_controls(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(PlainText, ShowsBytesThatAreNoText) {
  EXPECT_EQ(without_controls("\xff"
                             "a\xe4"),
            "\\xffa\\xe4");
  EXPECT_EQ(without_controls("\xc0\xaf"), "\\xc0\\xaf");           // a longer form of /
  EXPECT_EQ(without_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(without_controls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(without_controls("\xe2\x82"), "\\xe2\\x82");
}

TEST(PlainText, CutsLongLinesShortBetweenCharacters) {
  std::string name;
  for (int k = 0; k < 400000; ++k) name += "ä";
  const std::string told = plain_text("first\n" + name + ": cannot be opened\nlast");
  EXPECT_LT(told.size(), 900u);
  EXPECT_TRUE(told.starts_with("first\nä"));
  EXPECT_TRUE(told.ends_with("ä: cannot be opened\nlast"));
  EXPECT_EQ(told, without_controls(told));
  const std::string line(1000, 'x');
  EXPECT_EQ(plain_text(line), line);
}

TEST(PlainText, NamesEndAtNoZeroByte) {
  require_whole_name("matrix", "a.mtx");
  EXPECT_EQ(test::error_of([] { require_whole_name("matrix", std::string_view("a\0b", 3)); }),
            "matrix: 'a\\x00b' holds a zero byte, as no name of a file does; correct it");
}

}  // namespace
}  // namespace spsolve
