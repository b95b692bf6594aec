#include "core/error.hpp"

#include <gtest/gtest.h>

namespace spsolve {

TEST(Error, CarriesCodeAndFormattedText) {
  try {
    fail(ExitCode::input, "{}:{}: expected {}", "a.mtx", 3, "a number");
    FAIL() << "fail() returned";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_STREQ(error.what(), "a.mtx:3: expected a number");
  }
}

}  // namespace spsolve
