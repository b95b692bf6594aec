#pragma once

#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace spsolve::test {

/// The text of the Error that `work` throws; the test fails where it throws none, or one with
/// another exit code.
template <typename Work>
std::string error_of(Work&& work, ExitCode expected = ExitCode::input) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace spsolve::test
