// Linked into programs that are linked with a BLAS. An OpenBLAS maps a buffer for each of its
// threads when it is loaded, before main(), and where it gets none, it tries again for ever. A
// function in .preinit_array runs before the libraries' own beginnings, and can still end in words.
// No more than system calls here: the C library has not begun either.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.hpp"

// OpenBLAS's; other libraries have none.
extern "C" [[gnu::weak]] void openblas_set_num_threads(int);

namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t buffer = 128 * mebibyte;  // the largest that OpenBLAS takes
constexpr std::int64_t rest = 192 * mebibyte;    // of MPI, with its threads

std::int64_t left_under_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  char text[32] = {};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0) return INT64_MAX;
  close(file);
  return static_cast<std::int64_t>(limit.rlim_cur) - std::atoll(text) * sysconf(_SC_PAGESIZE);
}

/// Threads that OpenBLAS will have at first.
std::int64_t threads_at_first(char** environment) {
  cpu_set_t mask;
  const std::int64_t most = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
  for (const char* key : {"OPENBLAS_NUM_THREADS=", "GOTO_NUM_THREADS=", "OMP_NUM_THREADS="}) {
    const std::size_t length = std::strlen(key);
    for (char** entry = environment; *entry != nullptr; ++entry) {
      if (std::strncmp(*entry, key, length) != 0) continue;
      const std::int64_t told = std::atoll(*entry + length);
      if (told > 0) return told < most ? told : most;
    }
  }
  return most;
}

void say(const char* text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

void say(std::int64_t number) {
  char digits[24] = {};
  char* first = digits + sizeof digits - 1;
  do {
    *--first = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  say(first);
}

void require_room(int, char** arguments, char** environment) {
  if (openblas_set_num_threads == nullptr) return;
  const std::int64_t left = left_under_limit();
  if (left == INT64_MAX) return;
  const std::int64_t needed = threads_at_first(environment) * buffer + rest;
  if (left >= needed) return;
  const char* name = std::strrchr(arguments[0], '/');
  say(name == nullptr ? arguments[0] : name + 1);
  say(": the limit of the process's memory (ulimit -v) leaves ");
  say(left > 0 ? left / mebibyte : 0);
  say(" MiB, and the libraries take ");
  say(needed / mebibyte);
  say(" MiB when they begin, of which the BLAS takes 128 for each thread; raise the limit, or set "
      "OMP_NUM_THREADS=1\n");
  _exit(static_cast<int>(spsolve::ExitCode::resources));
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all)(int, char**,
                                                                       char**) = require_room;

}  // namespace
