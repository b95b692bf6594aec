#include "core/system.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace spsolve {

namespace {

/// The first number in a file such as memory.max; negative if there is none ("max").
std::int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = -1;
  return file >> number ? number : -1;
}

/// The path of this process's control group in the unified hierarchy; empty if there is none.
std::string control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return {};
}

/// Bytes left under the memory limits of this process's control group and all groups above it.
std::int64_t left_in_control_group() {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  for (std::string group = control_group();; group.erase(group.find_last_of('/'))) {
    const std::string folder = "/sys/fs/cgroup" + group;
    const std::int64_t limit = number_in(folder + "/memory.max");
    const std::int64_t used = number_in(folder + "/memory.current");
    if (limit >= 0 && used >= 0) left = std::min(left, std::max<std::int64_t>(0, limit - used));
    if (group.find_last_of('/') == std::string::npos) return left;
  }
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? std::string(name) : std::string("unknown");
}

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::int64_t left = left_in_control_group();
  for (std::string key; file >> key;) {
    std::int64_t kilobytes = 0;
    if (key == "MemAvailable:" && file >> kilobytes) left = std::min(left, kilobytes * 1024);
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return left;
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
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

int choose_threads(int wanted, int ranks_on_host) {
  if (wanted > 0) return wanted;
  if (const char* named = std::getenv("OMP_NUM_THREADS"); named != nullptr) {
    if (const int threads = std::atoi(named); threads > 0) return threads;
  }
  const int share = std::max(1, host_processors() / std::max(1, ranks_on_host));
  return std::min(share, usable_processors());
}

}  // namespace spsolve
