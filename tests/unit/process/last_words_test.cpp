#include "process/last_words.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spsolve {
namespace {

namespace fs = std::filesystem;

class LastWordsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder);
    write("running");
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string& text) const { std::ofstream(file) << text; }
  std::string text() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::unique_ptr<LastWords> words(LastWords::Ending ending = LastWords::Ending::by_signal) const {
    const auto make = [](ExitCode code, const std::string& sentence) {
      return fmt::format("{}: {} ({})", static_cast<int>(code), sentence, sentence.empty());
    };
    return std::make_unique<LastWords>(std::vector<LastWords::File>{{file, make}}, "go on", ending,
                                       false);
  }

  /// How a process ended that did this.
  static int ended(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(77);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  fs::path folder = fs::temp_directory_path() / fmt::format("last-words-{}", ::getpid());
  fs::path file = folder / "report.json";
};

TEST_F(LastWordsTest, AreLeftBeforeASignalEndsTheProcess) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) {
    write("running");
    const int status = ended([&] {
      const auto left = words();
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(text(), fmt::format("5: stopped by SIG{} before the end; go on (false)",
                                  ::sigabbrev_np(signal)));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "nothing else is left";
}

TEST_F(LastWordsTest, EndByACodeWhereThatIsWanted) {
  const int status = ended([&] {
    const auto left = words(LastWords::Ending::by_code);
    ::raise(SIGTERM);
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST_F(LastWordsTest, LeaveIgnoredSignalsAlone) {
  const int status = ended([&] {
    std::signal(SIGHUP, SIG_IGN);
    const auto left = words();
    ::raise(SIGHUP);
  });
  EXPECT_EQ(WEXITSTATUS(status), 77);
  EXPECT_EQ(text(), "running");
}

TEST_F(LastWordsTest, SignalsMeanAfterwardsWhatTheyMeantBefore) {
  const int status = ended([&] {
    words().reset();
    ::raise(SIGTERM);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(text(), "running");
}

TEST_F(LastWordsTest, AreNotLeftInThePlaceOfWhatCameSince) {
  const auto left = words();
  fs::remove(file);
  std::ofstream(folder / "other") << "solved";
  fs::rename(folder / "other", file);
  leave_last_words(ExitCode::resources, "a rank stands still");
  EXPECT_EQ(text(), "solved");
}

TEST_F(LastWordsTest, OfAWatchdogHaveItsCodeAndSentenceOnce) {
  leave_last_words(ExitCode::resources, "nobody");
  EXPECT_EQ(text(), "running");
  const auto left = words();
  leave_last_words(ExitCode::resources, "rank 1 of \"host\" stands\nstill");
  EXPECT_EQ(text(), "3: rank 1 of  host  stands still (false)");
  leave_last_words(ExitCode::internal, "another");
  EXPECT_EQ(text().front(), '3');
}

}  // namespace
}  // namespace spsolve
