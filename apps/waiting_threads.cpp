// Linked into programs with threads of OpenMP. GNU's wait busily for their next loop, by default so
// long that they hardly ever sleep: where others want the processors, too, each loop then waits for
// a thread that has to wait for one that does nothing. Its runtime takes other ways from the
// environment alone, before main(); so the program starts once more with what it wants there,
// unless the user has said what threads are to do. What stands in .preinit_array runs before the
// libraries' own beginnings: little is done twice. No more than system calls here: the C library
// has not begun either.

#include <cstddef>
#include <cstring>

#include <unistd.h>

namespace {

/// Some 20 to 50 us: longer than what lies between two loops of a solver, as a rule.
constexpr const char* patience = "GOMP_SPINCOUNT=1000";

/// What users tell threads by.
constexpr const char* told_by_users[] = {"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT=", "KMP_BLOCKTIME="};

void start_with_patience(int, char** arguments, char** environment) {
  constexpr std::size_t most = 4096;
  static char* longer[most];  // at first of zeros
  std::size_t count = 0;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    for (const char* key : told_by_users) {
      if (std::strncmp(*entry, key, std::strlen(key)) == 0) return;
    }
    if (count + 2 >= most) return;
    longer[count++] = *entry;
  }
  longer[count] = const_cast<char*>(patience);
  static char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) execve(program, arguments, longer);
  // Where that failed, threads wait as they do by default.
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_all)(int, char**, char**) = start_with_patience;

}  // namespace
