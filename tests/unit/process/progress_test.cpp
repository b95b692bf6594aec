#include "process/progress.hpp"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "process/heartbeat.hpp"
#include "process/log.hpp"

namespace spsolve {
namespace {

using testing::ContainsRegex;
using testing::Not;

/// A terminal's stream, and what was printed there since the last look.
class Terminal {
 public:
  std::FILE* stream() { return file_.get(); }
  std::string printed() {
    std::string text;
    std::fseek(file_.get(), at_, SEEK_SET);
    for (int c; (c = std::fgetc(file_.get())) != EOF;) text += static_cast<char>(c);
    at_ = std::ftell(file_.get());
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::tmpfile(), std::fclose};
  long at_ = 0;
};

/// Until a terminal's row is due.
void wait() {
  std::this_thread::sleep_for(std::chrono::milliseconds(210));
}

TEST(Progress, TellsShareAndTimeLeft) {
  Terminal terminal;
  Progress progress("eliminating", 1e9, Progress::Show::terminal, terminal.stream());
  wait();
  progress.done(10, 40, 0.25);
  EXPECT_THAT(terminal.printed(),
              ContainsRegex("^\reliminating:  25\\.0 %  step 10 of 40  [0-9.]+ GFLOP/s  [0-9]+ s, "
                            "about [0-9]+ s left"));
}

TEST(Progress, BeginsAnew) {
  Terminal terminal;
  Progress progress("eliminating", 1e9, Progress::Show::terminal, terminal.stream());
  progress.resume(0.5);
  wait();
  progress.done(39, 40, 0.99);
  EXPECT_THAT(terminal.printed(), ContainsRegex("eliminating:  99"));
  progress.restart("eliminating again");
  wait();
  progress.done(2, 40, 0.02);
  // Neither its rate nor the time left is that of what was done before.
  const std::string row = terminal.printed();
  EXPECT_THAT(row,
              ContainsRegex("^\reliminating again:   2\\.0 %  step 2 of 40  0\\.[0-9]+ GFLOP/s"));
  EXPECT_THAT(row, Not(ContainsRegex("about 0 s left")));
}

TEST(Progress, NamesWhatIsDoneAndTellsAFigureOfIt) {
  Terminal terminal;
  Progress progress("iterating", 0, Progress::Show::terminal, terminal.stream());
  progress.call_steps("iteration");
  progress.done(1, 500, 0.1, 1.0);
  EXPECT_EQ(terminal.printed(), "") << "nothing is printed yet";
  wait();
  progress.done(12, 500, 0.4, 1.5e-7);
  EXPECT_THAT(terminal.printed(),
              ContainsRegex("^\riterating:  40\\.0 %  iteration 12 of 500, backward error "
                            "1\\.5e-07  [0-9]+ s, about [0-9]+ s left"));
}

TEST(Progress, SaysNothingWhereNobodyLooks) {
  Terminal terminal;
  {
    Progress progress("eliminating", 1e9, Progress::Show::off, terminal.stream());
    wait();
    progress.done(10, 40, 0.25);
  }
  EXPECT_EQ(terminal.printed(), "");
}

TEST(Progress, LinesOfTheLogTakeThePlaceOfARow) {
  testing::internal::CaptureStderr();
  {
    Progress progress("eliminating", 1e9, Progress::Show::terminal);
    wait();
    progress.done(10, 40, 0.25);
    log_line("a note");
    log_line("another");
  }
  const std::string printed = testing::internal::GetCapturedStderr();
  int cleared = 0;
  for (std::size_t at = 0; (at = printed.find("\r\x1b[K", at)) != std::string::npos; ++at)
    ++cleared;
  EXPECT_EQ(cleared, 2) << "before the first line, and at the end: " << printed;
}

TEST(Heartbeat, TellsThatWorkGoesOn) {
  testing::internal::CaptureStdout();
  {
    const Heartbeat beats("looking", 0.01);
    wait();
  }
  spdlog::default_logger()->flush();
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_THAT(printed, testing::HasSubstr("looking, 0 s so far"));
  testing::internal::CaptureStdout();
  { const Heartbeat beats("looking", 1000); }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace spsolve
