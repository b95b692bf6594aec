#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace spsolve::test {

/// The text of the Error that `work` throws; the test fails where it throws none, or one with
/// another exit code, or where a scope is given another one of that.
template <typename Work>
std::string error_of(Work&& work, ExitCode expected = ExitCode::input,
                     std::optional<Scope> scope = {}) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    EXPECT_EQ(error.scope(), scope.value_or(error.scope())) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace spsolve::test
