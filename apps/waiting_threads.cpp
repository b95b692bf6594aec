// Linked into programs with threads of OpenMP. GNU's wait busily for their next loop, by default so
// long that they hardly ever sleep: where others want the processors, too, each loop then waits for
// a thread that has to wait for one that does nothing. Its runtime takes other ways from the
// environment alone, when it begins, before main(); so its settings stand there by then, unless the
// user has said how threads are to wait. Functions in .preinit_array run before the libraries' own
// beginnings, on the environment as they will find it. That has no place for one more variable: it
// takes the place of one that shells set for themselves, or else the program starts once more,
// which takes 5 ms. No more than system calls here: the C library has not begun either.

#include <cstddef>
#include <cstring>

#include <unistd.h>

namespace {

/// Some 20 to 50 us: longer than the time between two loops of a solver, as a rule.
constexpr const char* patience = "GOMP_SPINCOUNT=1000";

/// The variables by which users tell threads how to wait.
constexpr const char* told_by_users[] = {"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT=", "KMP_BLOCKTIME="};

/// The variables by which shells tell the next shell, and nobody else.
constexpr const char* told_to_shells[] = {"_=", "OLDPWD=", "SHLVL="};

bool is_one_of(const char* entry, auto& keys) {
  for (const char* key : keys) {
    if (std::strncmp(entry, key, std::strlen(key)) == 0) return true;
  }
  return false;
}

void wait_with_patience(int, char** arguments, char** environment) {
  constexpr std::size_t most = 4096;
  static char* longer[most];  // at first of zeros
  std::size_t count = 0;
  char** place = nullptr;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (is_one_of(*entry, told_by_users)) return;
    if (is_one_of(*entry, told_to_shells)) place = entry;
    if (count + 2 < most) longer[count++] = *entry;
  }
  if (place != nullptr) {
    *place = const_cast<char*>(patience);
    return;
  }
  if (count + 2 >= most) return;
  longer[count] = const_cast<char*>(patience);
  static char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) execve(program, arguments, longer);
  // Where that failed, threads wait as they do by default.
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all)(int, char**,
                                                                       char**) = wait_with_patience;

}  // namespace
