#include "checkpoint/section_file.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "helpers/checkpoint_bytes.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const SectionReader& file, std::string_view name) {
  const std::vector<std::byte> bytes = file.read(file.section({name, 1}));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file of three sections, the second of them empty.
std::int64_t write_example(const std::filesystem::path& path) {
  SectionWriter file(path);
  file.begin({"analysis"});
  file.write(bytes_of("a tree, "));
  file.write(bytes_of("and its subtrees"));
  file.begin({"nothing"});
  file.begin({"subtree 0"});
  file.write(bytes_of("L and U"));
  return file.commit();
}

void add(const std::filesystem::path& path, std::string_view name, std::string_view text) {
  SectionWriter file = SectionWriter::adding_to(path);
  file.begin({name});
  file.write(bytes_of(text));
  file.commit();
}

/// The words of the refusal, by opening or by verify(); "" where there is none.
std::string refusal(const std::filesystem::path& path) {
  try {
    SectionReader(path).verify();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(SectionFile, ComesBackAsItWas) {
  const test::TemporaryFolder folder;
  const std::int64_t bytes = write_example(folder / "a");
  EXPECT_EQ(bytes, static_cast<std::int64_t>(std::filesystem::file_size(folder / "a")));
  const SectionReader file(folder / "a");
  file.verify();
  ASSERT_EQ(file.sections().size(), 3u);
  EXPECT_EQ(file.sections()[0].name, "analysis");
  EXPECT_EQ(file.sections()[1].size, 0);
  EXPECT_EQ(file.size(), bytes);
  EXPECT_EQ(text_of(file, "analysis"), "a tree, and its subtrees");
  EXPECT_EQ(text_of(file, "nothing"), "");
  EXPECT_EQ(text_of(file, "subtree 0"), "L and U");
  EXPECT_EQ(file.find("subtree 1"), nullptr);
  std::array<char, 4> part{};
  file.read(*file.find("analysis"), 2, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(std::string_view(part.data(), part.size()), "tree");
}

TEST(SectionFile, SectionsAreAddedOneByOneAndNothingIsWrittenAgain) {
  const test::TemporaryFolder folder;
  write_example(folder / "a");
  std::string before = test::contents(folder / "a");
  for (int k = 1; k < 20; ++k) {
    add(folder / "a", fmt::format("subtree {}", k), std::string(static_cast<std::size_t>(k), 'x'));
    const std::string after = test::contents(folder / "a");
    ASSERT_GT(after.size(), before.size());
    EXPECT_EQ(after.substr(40, before.size() - 40), before.substr(40)) << "all but the head";
    before = after;
  }
  const SectionReader file(folder / "a");
  file.verify();
  EXPECT_EQ(file.sections().size(), 22u);
  EXPECT_EQ(text_of(file, "analysis"), "a tree, and its subtrees");
  EXPECT_EQ(text_of(file, "subtree 7"), "xxxxxxx");
}

TEST(SectionFile, OfTwoWithOneNameTheLaterCounts) {
  const test::TemporaryFolder folder;
  write_example(folder / "a");
  add(folder / "a", "analysis", "another tree");
  EXPECT_EQ(text_of(SectionReader(folder / "a"), "analysis"), "another tree");
}

TEST(SectionFile, AnAdditionThatWasCutShortCountsForNothing) {
  const test::TemporaryFolder folder;
  write_example(folder / "a");
  const std::string whole = test::contents(folder / "a");
  {
    SectionWriter file = SectionWriter::adding_to(folder / "a");
    file.begin({"subtree 1"});
    file.write(bytes_of("half of"));
  }
  ASSERT_GT(test::contents(folder / "a").size(), whole.size());
  EXPECT_EQ(refusal(folder / "a"), "");
  EXPECT_EQ(SectionReader(folder / "a").sections().size(), 3u);
  // The next addition takes its place.
  add(folder / "a", "subtree 1", "all");
  const SectionReader file(folder / "a");
  file.verify();
  EXPECT_EQ(text_of(file, "subtree 1"), "all");
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(folder / "a")), file.size());
}

TEST(SectionFile, IsCutBehindAnySection) {
  const test::TemporaryFolder folder;
  write_example(folder / "a");
  add(folder / "a", "subtree 1", "more");
  for (const std::size_t count : {4, 3, 2, 1, 0}) {
    SectionWriter::cut(folder / "a", count);
    const SectionReader file(folder / "a");
    file.verify();
    EXPECT_EQ(file.sections().size(), count);
    EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(folder / "a")), file.size());
  }
  SectionWriter::cut(folder / "a", 1);  // which it does not have
  add(folder / "a", "analysis", "another tree");
  const SectionReader file(folder / "a");
  file.verify();
  EXPECT_EQ(file.sections().size(), 1u);
  EXPECT_EQ(text_of(file, "analysis"), "another tree");
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(folder / "a")), file.size());
}

TEST(SectionFile, IsWholeOrNotThere) {
  const test::TemporaryFolder folder;
  {
    SectionWriter file(folder / "a");
    file.begin({"analysis"});
    file.write(bytes_of("a tree"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(SectionFile, EveryFlippedBitIsFound) {
  const test::TemporaryFolder folder;
  write_example(folder / "a");
  const std::string good = test::contents(folder / "a");
  ASSERT_EQ(refusal(folder / "a"), "");
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << byte % 8));
    EXPECT_NE(refusal(folder.write("b", bad)), "") << "byte " << byte;
  }
}

TEST(SectionFile, EveryTruncationIsFound) {
  const test::TemporaryFolder folder;
  write_example(folder / "a");
  const std::string good = test::contents(folder / "a");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(refusal(folder.write("b", good.substr(0, size))), "") << size << " bytes";
  }
}

TEST(SectionFile, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  write_example(folder / "a");
  const std::string good = test::contents(folder / "a");
  ASSERT_EQ(test::with_good_sums(good), good);
  const auto changed = [&](std::size_t at, auto value) {
    std::string file = good;
    std::memcpy(file.data() + at, &value, sizeof value);
    return refusal(folder.write("b", test::with_good_sums(file)));
  };
  const auto expect = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const std::size_t entry = good.size() - 64;
  expect(changed(0, 'x'), "is no checkpoint");
  expect(changed(8, std::uint32_t{0x04030201}), "the other order of bytes");
  expect(changed(12, std::uint32_t{1}), "has version 1 of the form; this program reads version 2");
  expect(changed(16, std::int64_t{1} << 60), "truncated");                   // where it ends
  expect(changed(16, static_cast<std::int64_t>(entry)), "contradicts");      // amid a section
  expect(changed(24, std::int64_t{4}), "contradicts itself");                // how many
  expect(changed(entry + 31, 'x'), "contradicts itself");                    // a name without end
  expect(changed(entry + 36, std::uint32_t{1}), "contradicts itself");       // nothing is there
  expect(changed(entry + 40, std::int64_t{1} << 60), "contradicts itself");  // bytes of a section
  expect(changed(entry + 40, std::int64_t{-1}), "contradicts itself");
  expect(refusal(folder / "none"), "cannot be opened");
  expect(refusal(folder / "."), "is no file");
  const SectionReader file(folder / "a");
  const auto told = [&](auto&& act) {
    try {
      act();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  expect(told([&] { file.section({"subtree 1"}); }), "has no section 'subtree 1'");
  expect(told([&] {
           file.section({"subtree 0", 2});
         }),
         "has version 1 of the section 'subtree 0'; this program reads version 2");
  std::array<std::byte, 8> bytes;
  expect(told([&] { file.read(*file.find("subtree 0"), 0, bytes); }),
         "holds 7 bytes in its section 'subtree 0', not 8");
  expect(told([&] { SectionWriter(folder / "c").begin({std::string(32, 'x')}); }), "is no name");
}

}  // namespace
}  // namespace spsolve
