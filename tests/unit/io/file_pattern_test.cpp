#include "io/file_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using testing::HasSubstr;

std::vector<std::string> stars(const fs::path& pattern) {
  std::vector<std::string> found;
  for (const io::PatternFile& file : io::files_of(pattern)) found.push_back(file.star);
  return found;
}

TEST(FilePattern, FilesComeByTheNumbersInTheirNames) {
  const test::TemporaryFolder folder;
  for (const char* const name : {"b-10.npy", "b-2.npy", "b-001.npy", "b-1.npy", "b-1a.npy",
                                 "b-x.npy", "b-.npy", "c-1.npy", "b-3.mtx"}) {
    folder.write(name, "");
  }
  fs::create_directory(folder / "b-4.npy");
  EXPECT_EQ(stars(folder / "b-*.npy"),
            (std::vector<std::string>{"", "001", "1", "1a", "2", "10", "x"}));
  EXPECT_EQ(stars(folder / "*-3.mtx"), std::vector<std::string>{"b"});
  EXPECT_EQ(io::files_of(folder / "c*").front().file, folder / "c-1.npy");
}

TEST(FilePattern, TheStarOfAResultIsThatOfItsFile) {
  EXPECT_EQ(io::with_star("out/x-*.npy", "10"), "out/x-10.npy");
  EXPECT_EQ(io::with_star("x.npy", "10"), "x.npy");
  EXPECT_TRUE(io::is_pattern("b-*.npy"));
  EXPECT_FALSE(io::is_pattern("a*/b.npy"));
}

TEST(FilePattern, WhatFitsNothingIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { io::files_of(folder / "b-*.npy"); }), HasSubstr("no file has a name"));
  EXPECT_THAT(error_of([&] { io::files_of(folder / "none" / "b-*"); }),
              HasSubstr("no file has a name"));
  EXPECT_THAT(error_of([&] { io::files_of(folder / "*-*"); }), HasSubstr("one '*' only"));
}

}  // namespace
}  // namespace spsolve
