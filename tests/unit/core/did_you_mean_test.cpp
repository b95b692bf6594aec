#include "core/names/did_you_mean.hpp"

#include <gtest/gtest.h>

namespace spsolve {

TEST(DidYouMean, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("gauss", "gauss"), 0);
  EXPECT_EQ(edit_distance("gaus", "gauss"), 1);
  EXPECT_EQ(edit_distance("guass", "gauss"), 1);  // a swap is one edit
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // the restricted distance
}

TEST(DidYouMean, FindsTheNearest) {
  constexpr std::string_view words[] = {"partial", "complete", "none", "on"};
  EXPECT_EQ(closest("partail", words), "partial");
  EXPECT_EQ(closest("PARTIAL", words), "partial");
  EXPECT_EQ(closest("complet", words), "complete");
  EXPECT_EQ(closest("non", words), "none");  // the first of two at one edit
  EXPECT_EQ(closest("full", words), "");
  EXPECT_EQ(closest("", words), "");
  EXPECT_EQ(closest(std::string(100000, 'p'), words), "");
  constexpr std::string_view letters[] = {"a", "b"};
  EXPECT_EQ(closest("c", letters), "");
  EXPECT_EQ(closest("b", letters), "b");
  EXPECT_EQ(closest("word", {}), "");
}

TEST(DidYouMean, EndsASentence) {
  constexpr std::string_view words[] = {"partial"};
  EXPECT_EQ(did_you_mean("partal", words), "; did you mean 'partial'?");
  EXPECT_EQ(did_you_mean("x", words), "");
}

}  // namespace spsolve
