#include "checkpoint/section_bytes.hpp"

#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "helpers/error_of.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {
namespace {

/// A solver's state in two sections, the second of which has no lengths.
struct State {
  Index step = 0;
  std::vector<Index> rows, swaps;
  std::string words;
  std::vector<double> rest;

  void name(SectionBytes& bytes) {
    bytes.begin({"state"});
    bytes.value(step);
    bytes.length(rows);
    bytes.list(words);
    bytes.list(swaps);
    bytes.values(rows.data(), std::ssize(rows));
    bytes.end();
    bytes.begin({"rest"});
    bytes.rest(rest);
  }
  bool operator==(const State&) const = default;
};

/// With lists that are larger than what is written together, and read together.
State example() {
  State state{7, std::vector<Index>(200'000), {3, 1}, "why", std::vector<double>(300'000, 0.5)};
  std::iota(state.rows.begin(), state.rows.end(), Index{5});
  return state;
}

class SectionBytesOfA : public testing::Test {
 protected:
  std::filesystem::path write(State state) {
    SectionWriter file(folder / "a");
    BytesToFile bytes(file);
    state.name(bytes);
    file.commit();
    return folder / "a";
  }

  test::TemporaryFolder folder;
};

TEST_F(SectionBytesOfA, StateComesBackByTheNamesThatWroteIt) {
  for (const State& state : {State{}, State{1, {2}, {}, "", {3}}, example()}) {
    const SectionReader reader(write(state));
    State back{9, {1, 1, 1}, {2}, "other", {4, 4}};
    BytesFromFile bytes(reader);
    back.name(bytes);
    EXPECT_EQ(back, state);
  }
}

TEST_F(SectionBytesOfA, AnotherStateIsRefused) {
  const SectionReader reader(write(example()));
  const auto refusal = [&](auto name) {
    BytesFromFile bytes(reader);
    bytes.begin({"state"});
    return test::error_of([&] { name(bytes); });
  };
  const auto contradicts = [](const std::string& text) {
    return text.find("contradicts itself") != std::string::npos;
  };
  std::vector<Index> list;
  EXPECT_TRUE(contradicts(refusal([&](SectionBytes& bytes) { bytes.end(); }))) << "more is there";
  EXPECT_TRUE(contradicts(refusal([&](SectionBytes& bytes) {
    for (int i = 0; i < 4; ++i) bytes.list(list);  // the words are no length
  })));
  EXPECT_TRUE(contradicts(refusal([&](SectionBytes& bytes) {
    list.resize(1'000'000);
    bytes.values(list.data(), std::ssize(list));
  })));
  EXPECT_NE(refusal([&](SectionBytes& bytes) { bytes.rest(list); }).find("is cut short"),
            std::string::npos);
  EXPECT_NE(refusal([&](SectionBytes& bytes) { bytes.begin({"none"}); }).find("has no section"),
            std::string::npos);
}

TEST(InPieces, AllRowsComeOnce) {
  constexpr std::size_t width = std::size_t{3} << 20;
  std::vector<Index> firsts, heights;
  in_pieces(3, width, [&](Index first, Index height) {
    firsts.push_back(first);
    heights.push_back(height);
  });
  EXPECT_EQ(firsts, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(heights, (std::vector<Index>{1, 1, 1}));
  Index rows = 0;
  in_pieces(1'000'000, 8, [&](Index first, Index height) {
    EXPECT_EQ(first, rows);
    rows += height;
  });
  EXPECT_EQ(rows, 1'000'000);
}

}  // namespace
}  // namespace spsolve
