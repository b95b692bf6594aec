#include "process/interrupt.hpp"

#include <csignal>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "helpers/error_of.hpp"
#include "process/progress.hpp"

namespace spsolve {
namespace {

int came = 0;
void count(int) {
  ++came;
}

TEST(Interrupt, EndsATaskAtItsNextStep) {
  const EndsByInterrupt ends({SIGINT, SIGTERM});
  Progress progress("testing", 1, Progress::Show::off);
  progress.done(1, 3, 0.3);
  std::raise(SIGTERM);
  EXPECT_TRUE(is_interrupted());
  test::error_of([&] { progress.done(2, 3, 0.6); }, ExitCode::interrupted);
  EXPECT_EQ(ended_by(), SIGTERM);
  EXPECT_FALSE(is_interrupted());
  progress.done(3, 3, 1);  // once
}

TEST(Interrupt, WhatComesTooLateIsWhoseItWasBefore) {
  const auto before = std::signal(SIGINT, count);
  came = 0;
  {
    const EndsByInterrupt ends;
    std::raise(SIGINT);
    EXPECT_EQ(came, 0);
  }
  EXPECT_EQ(came, 1);
  std::raise(SIGINT);
  EXPECT_EQ(came, 2);
  std::signal(SIGINT, before);
}

}  // namespace
}  // namespace spsolve
