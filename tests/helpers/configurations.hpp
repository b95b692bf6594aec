#pragma once

// The common part of the tests of the configuration.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "core/error.hpp"

namespace spsolve::test {

using Overrides = std::vector<Override>;

inline Config parse(std::string_view text, const Overrides& overrides = {}) {
  return parse_config(text, "c.yaml", overrides);
}

/// The complaints of parse(), "" if nothing.
inline std::string problems(std::string_view text, const Overrides& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    return error.what();
  }
  return "";
}

/// The smallest configuration, on one line, and more.
inline std::string with_matrix(std::string_view more) {
  return "matrix: a.mtx\n" + std::string(more);
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

}  // namespace spsolve::test
