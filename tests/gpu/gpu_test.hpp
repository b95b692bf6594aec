#pragma once

#include <gtest/gtest.h>

#include "cuda/core/device_info.hpp"

namespace spsolve::cuda {

/// A test that needs a GPU, and skips with the reason where there is none.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_gpu(); !reason.empty()) {
      GTEST_SKIP() << "no GPU here: " << reason;
    }
  }
};

}  // namespace spsolve::cuda
