#include "process/system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.hpp"
#include "process/fault.hpp"

namespace spsolve::inline process {

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The first number in a file such as memory.max; negative if there is none ("max").
std::int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = -1;
  return file >> number ? number : -1;
}

/// The number after `key` in a file of lines "key number"; 0 if there is none.
std::int64_t number_of(const std::string& key, const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  for (std::string word; file >> word >> number;) {
    if (word == key) return number;
  }
  return 0;
}

/// The files in which one version of control groups keeps the limits of a group.
struct ControlGroups {
  std::string folder, limit, used, cached;
};

/// Bytes left under the memory limits of `group` and all groups above it. Pages that only cache
/// files are given back when memory is short.
std::int64_t left_in(std::string group, const ControlGroups& files) {
  std::int64_t left = unlimited;
  for (;; group.erase(group.find_last_of('/'))) {
    const std::string folder = files.folder + group;
    const std::int64_t limit = number_in(folder + files.limit);
    // The first version says that there is none by a number that no memory has.
    const bool limits = limit >= 0 && limit < unlimited / 2;
    const std::int64_t used = limits ? number_in(folder + files.used) : -1;
    if (used >= 0) {
      const std::int64_t cached = number_of(files.cached, folder + "/memory.stat");
      left = std::min(left, std::max<std::int64_t>(0, limit - used + std::min(cached, used)));
    }
    if (group.find_last_of('/') == std::string::npos) return left;
  }
}

/// Bytes left in this process's control groups, of either version.
std::int64_t left_in_control_groups() {
  const ControlGroups unified{"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"};
  const ControlGroups first{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                            "/memory.usage_in_bytes", "total_inactive_file"};
  std::int64_t left = unlimited;
  // Lines are "number:controllers:path"; the unified hierarchy's are "0::path".
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t path = line.find(':', controllers);
    if (path == std::string::npos) continue;
    std::string names(1, ',');
    names.append(line, controllers, path - controllers).push_back(',');
    if (names == ",,") left = std::min(left, left_in(line.substr(path + 1), unified));
    if (names.find(",memory,") != std::string::npos) {
      left = std::min(left, left_in(line.substr(path + 1), first));
    }
  }
  return left;
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? std::string(name) : std::string("unknown");
}

std::int64_t available_memory() {
  if (const auto told = injected_memory()) return *told;
  std::ifstream file("/proc/meminfo");
  std::int64_t left = left_in_control_groups();
  for (std::string key; file >> key;) {
    std::int64_t kilobytes = 0;
    if (key == "MemAvailable:" && file >> kilobytes) return std::min(left, kilobytes * 1024);
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return left;
}

std::int64_t left_under_process_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::int64_t pages = number_in("/proc/self/statm");
  const std::int64_t mapped = std::max<std::int64_t>(pages, 0) * sysconf(_SC_PAGESIZE);
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(limit.rlim_cur) - mapped);
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

std::int64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::int64_t mapped = 0, resident = 0;
  return file >> mapped >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

MemoryGrowth::MemoryGrowth() {
  // proc(5): writing 5 makes the peak what is resident now.
  std::ofstream file("/proc/self/clear_refs");
  if (file << "5" << std::flush) start_ = peak_memory();
}

std::optional<std::int64_t> MemoryGrowth::peak() const {
  if (start_ == 0) return std::nullopt;
  return peak_memory() - start_;
}

void hand_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

int usable_processors() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return host_processors();
  return std::max(1, CPU_COUNT(&mask));
}

int numa_node() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return -1;
  int found = -1;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &mask)) continue;
    // The folder of a processor holds a link nodeN to its node.
    const std::filesystem::path folder = "/sys/devices/system/cpu/cpu" + std::to_string(processor);
    std::error_code problem;
    int node = -1;
    for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("node")) node = std::atoi(name.c_str() + 4);
    }
    if (node < 0 || (found >= 0 && node != found)) return -1;
    found = node;
  }
  return found;
}

int host_processors() {
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

int choose_threads(int wanted, int ranks_on_host, bool with_gpus, int most) {
  if (wanted > 0) return wanted;
  if (const char* named = std::getenv("OMP_NUM_THREADS"); named != nullptr) {
    if (const int threads = std::atoi(named); threads > 0) return threads;
  }
  const int share = std::max(1, host_processors() / std::max(1, ranks_on_host));
  const int threads = std::min(share, usable_processors());
  const bool leaves_some =
      ranks_on_host > 1 && with_gpus && threads >= processors_with_some_for_messages;
  return std::min(most, leaves_some ? threads - left_for_messages : threads);
}

namespace {

/// The size of the stacks that OpenMP's threads are told to have, "512k"; none where nothing is
/// said.
std::optional<double> stack_of_openmp() {
  for (const char* key : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = std::getenv(key);
    if (text == nullptr) continue;
    char* unit = nullptr;
    const double number = std::strtod(text, &unit);
    while (*unit == ' ') ++unit;
    const std::size_t power = std::string_view("bkmg").find(*unit == 0 ? 'k' : *unit | 0x20);
    if (number <= 0 || power == std::string_view::npos) continue;
    return std::ldexp(number, 10 * static_cast<int>(power));
  }
  return std::nullopt;
}

}  // namespace

void require_stack() {
  constexpr double least = 256 << 10;
  const auto refuse = [](const char* what, double bytes) {
    fail(ExitCode::resources,
         "{} leaves {:.0f} KiB of stack to a thread, and {:.0f} KiB are wanted; raise it", what,
         bytes / 1024, least / 1024);
  };
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<double>(limit.rlim_cur) < least) {
    refuse("the limit of the stack (ulimit -s)", static_cast<double>(limit.rlim_cur));
  }
  if (const auto bytes = stack_of_openmp(); bytes && *bytes < least) {
    refuse("OMP_STACKSIZE in the environment", *bytes);
  }
}

void require_threads(int threads) {
  require_stack();
  std::latch all_started(1);
  std::vector<std::jthread> others;
  // Goes before the threads do, which wait for it, whether all could be started or not.
  const struct Release {
    std::latch& latch;
    ~Release() { latch.count_down(); }
  } release{all_started};
  for (int k = 1; k < threads; ++k) others.emplace_back([&] { all_started.wait(); });
}

}  // namespace spsolve::process
