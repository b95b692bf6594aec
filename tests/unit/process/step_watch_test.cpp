#include "process/step_watch.hpp"

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/progress.hpp"

namespace spsolve {
namespace {

struct Heard final : StepWatch {
  void tell(const TaskStep& step) override { own.push_back(step.fraction); }
  void tell_by_all(const TaskStep& step) override {
    of_all.push_back(step.fraction);
    error = step.error;
  }
  std::vector<double> own, of_all;
  std::optional<double> error;
};

TEST(StepWatch, HearsOfThousandthsOfIterationsAndOfTheEnd) {
  const auto heard = std::make_shared<Heard>();
  Progress progress("eliminating", 0, Progress::Show::off);
  progress.done(0, 10, 0);
  progress.watch_by(heard);
  progress.done(1, 10, 0.1);
  progress.done(2, 10, 0.1005);
  progress.done(3, 10, 0.9995);
  progress.done(10, 10, 0.9999);
  EXPECT_THAT(heard->own, testing::ElementsAre(0.1, 0.9995, 0.9999));
  progress.restart("iterating");
  progress.done_by_all(1, 10, 0.1, 0.5);
  progress.done_by_all(2, 10, 0.1, 0.25);
  EXPECT_THAT(heard->of_all, testing::ElementsAre(0.1, 0.1));
  EXPECT_EQ(heard->error, 0.25);
}

}  // namespace
}  // namespace spsolve
