#include "core/error.hpp"

#include <system_error>

#include <gtest/gtest.h>

#include "team/team.hpp"

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

TEST(CurrentFailure, TellsMissingThreadsFromDefects) {
  const auto failure_of = [](std::errc code) {
    try {
      throw std::system_error(std::make_error_code(code));
    } catch (...) {
      return current_failure();
    }
  };
  const Failure no_thread = failure_of(std::errc::resource_unavailable_try_again);
  EXPECT_EQ(no_thread.code, ExitCode::resources);
  EXPECT_NE(no_thread.message.find("ulimit -u"), std::string::npos);
  EXPECT_EQ(failure_of(std::errc::invalid_argument).code, ExitCode::internal);
}

}  // namespace spsolve
