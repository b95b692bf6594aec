#include "apps/bench/environment.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include <fmt/chrono.h>
#include <sched.h>

#include "core/blas/blas.hpp"
#include "core/build_info.hpp"
#include "process/system.hpp"

namespace spsolve::bench {

namespace {

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Processors of the affinity mask as ranges, "0-3 8".
std::string allowed_processors() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return "unknown";
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &mask)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &mask)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : " ", first);
    if (last > first) text += fmt::format("-{}", last);
    first = last;
  }
  return text;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "unset" : value;
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') quoted += "'\\'";
    quoted += c;
  }
  return quoted + '\'';
}

}  // namespace

Cell environment_of(int argc, const char* const* argv) {
  std::string command_line;
  for (int i = 0; i < argc; ++i) {
    if (i > 0) command_line += ' ';
    command_line += shell_word(argv[i]);
  }
  return {{"processor", processor_model()},
          {"processors", usable_processors()},
          {"host_processors", host_processors()},
          {"thread_binding",
           fmt::format("OMP_PROC_BIND {}; OMP_PLACES {}; processors {}", variable("OMP_PROC_BIND"),
                       variable("OMP_PLACES"), allowed_processors())},
          {"blas", blas::library()},
          {"compiler", build_info::compiler},
          {"build_type", build_info::build_type},
          {"version", build_info::version},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"command_line", command_line}};
}

std::string text_of_environment(const Cell& environment) {
  const auto said = [&](const char* key) {
    const Cell& cell = environment.at(key);
    return cell.is_string() ? cell.get<std::string>() : cell.dump();
  };
  const std::string faster = blas::faster_kernels();
  return fmt::format("{}, {} of {} processors; {}, {}; spsolve {}; {}\n{}\nBLAS: {}{}\n",
                     said("processor"), said("processors"), said("host_processors"),
                     said("compiler"), said("build_type"), said("version"), said("date"),
                     said("thread_binding"), said("blas"),
                     faster.empty() ? "" : "\nnote: " + faster);
}

}  // namespace spsolve::bench
