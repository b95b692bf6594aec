#include "process/system.hpp"

#include <system_error>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "team/team.hpp"

namespace spsolve {
namespace {

/// How a process ends that may start no thread: the exit code of the failure, or 0 for none.
[[noreturn]] void start_threads_without_leave() {
  const rlimit one{1, 1};
  // Root may have any number of processes: become somebody else.
  if ((geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) || setrlimit(RLIMIT_NPROC, &one) != 0)
    _exit(100);
  try {
    require_threads(64);
  } catch (...) {
    _exit(static_cast<int>(current_failure().code));
  }
  _exit(0);
}

TEST(RequireThreads, SaysWhereTheSystemGivesNoMore) {
  require_threads(1);
  require_threads(8);
  EXPECT_EXIT(start_threads_without_leave(), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace spsolve
