#include "config/consistency.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include <fmt/format.h>

#include "config/schema.hpp"
#include "io/file_pattern.hpp"
#include "io/files/special_file.hpp"

namespace spsolve::inline config {

namespace fs = std::filesystem;

namespace {

/// Sequences of systems, and names that do not go with them.
void find_patterns(const Config& config, std::vector<Inconsistency>& found) {
  const bool solves = config.task == Task::solve;
  const bool many =
      io::is_pattern(config.right_hand_side.file) || io::is_pattern(config.matrix.values);
  const fs::path& solution = config.output.solution;
  if (solves && many && !solution.empty() && !io::is_pattern(solution) &&
      !io::is_written_through(solution)) {
    found.push_back({"output.solution",
                     "'output.solution' names one file for several solutions; put a '*' into the "
                     "name, such as x-*.npy"});
  }
  if (!many && io::is_pattern(solution)) {
    found.push_back({"output.solution",
                     "'output.solution' holds a '*', and neither 'right_hand_side.file' nor "
                     "'matrix.values' does"});
  }
  if (many && !config.solve.initial_guess.empty()) {
    found.push_back({"solve.initial_guess",
                     "'solve.initial_guess' goes with one system, and 'right_hand_side.file' or "
                     "'matrix.values' name several"});
  }
  if (config.matrix.values.empty()) return;
  if (!solves) {
    found.push_back({"matrix.values", "'matrix.values' goes with task: solve only"});
  } else if (!config.checkpoint.directory.empty()) {
    found.push_back({"matrix.values",
                     "'matrix.values' does not go with 'checkpoint.directory', which keeps one "
                     "elimination"});
  } else if (config.matrix.rotate_rows != 0) {
    found.push_back({"matrix.values", "'matrix.values' does not go with 'matrix.rotate_rows'"});
  }
}

/// Finds inputs and outputs that share a descriptor with one end.
void find_shared_streams(const Config& config, std::vector<Inconsistency>& found) {
  const auto once = [&](auto is_it, std::string_view what,
                        std::initializer_list<std::pair<std::string_view, fs::path>> files) {
    std::string_view first;
    for (const auto& [key, file] : files) {
      if (!is_it(file)) continue;
      if (!first.empty()) {
        found.push_back(
            {key, fmt::format("'{}' and '{}' cannot both be the standard {}", first, key, what)});
      }
      if (first.empty()) first = key;
    }
  };
  once([](const fs::path& file) { return io::descriptor_named(file, 0) == 0; }, "input",
       {{"matrix.file", config.matrix.file},
        {"right_hand_side.file", config.right_hand_side.file},
        {"multiply.x", config.multiply.x.file},
        {"solve.ordering", config.solve.ordering_file},
        {"solve.coordinates", config.solve.coordinates},
        {"solve.initial_guess", config.solve.initial_guess},
        {"solve.null_space", config.solve.null_space_file}});
  once(io::is_standard_output, "output",
       {{"output.solution", config.output.solution},
        {"output.product", config.output.product},
        {"output.report", config.output.report},
        {"output.html", config.output.html}});
}

/// Results that would replace each other, or what is read; as far as names tell, a link may still
/// lead to one of the others.
void find_replaced_files(const Config& config, std::vector<Inconsistency>& found) {
  std::map<fs::path, std::string_view> taken;
  const auto take = [&](std::string_view key, const fs::path& file) {
    if (file.empty() || io::is_written_through(file)) return key;
    std::error_code ignored;
    return taken.emplace(fs::absolute(file, ignored).lexically_normal(), key).first->second;
  };
  take("matrix.file", config.matrix.file);
  take("matrix.values", config.matrix.values);
  take("right_hand_side.file", config.right_hand_side.file);
  take("multiply.x", config.multiply.x.file);
  take("solve.ordering", config.solve.ordering_file);
  take("solve.coordinates", config.solve.coordinates);
  take("solve.initial_guess", config.solve.initial_guess);
  take("solve.null_space", config.solve.null_space_file);
  const std::pair<std::string_view, fs::path> outputs[] = {
      {"solve.analysis_file", config.solve.analysis_file},
      {"output.solution", config.output.solution},
      {"output.product", config.output.product},
      {"output.report", config.output.report},
      {"output.html", config.output.html},
      {"checkpoint.systems", config.checkpoint.systems}};
  for (const auto& [key, file] : outputs) {
    if (const std::string_view other = take(key, file); other != key) {
      found.push_back(
          {key, fmt::format("'{}' would replace the file of '{}'; name another", key, other)});
    }
  }
}

}  // namespace

std::vector<Inconsistency> inconsistencies(const Config& config) {
  std::vector<Inconsistency> found;
  const auto add = [&](std::string_view key, std::string_view reason) {
    if (!reason.empty()) found.push_back({key, std::string(reason)});
  };
  const Method method = config.solve.method;
  add("solve.pivoting", why_not(method, config.solve.pivoting));
  add("solve.null_space", why_not(method, config.solve.null_space));
  if (config.task == Task::solve && config.transport == Transport::peer) {
    found.push_back({"transport",
                     "transport=peer goes with task=multiply only; use transport=auto, nccl, mpi "
                     "or pinned"});
  }
  find_patterns(config, found);
  find_shared_streams(config, found);
  find_replaced_files(config, found);
  return found;
}

std::vector<std::string_view> keys_of_other_task(const Config& config) {
  static constexpr std::string_view only_solve[] = {"right_hand_side.", "solve.", "checkpoint.",
                                                    "output.solution"};
  static constexpr std::string_view only_multiply[] = {"multiply.", "output.product"};
  const std::span<const std::string_view> others =
      config.task == Task::solve ? std::span<const std::string_view>(only_multiply) : only_solve;
  std::vector<std::string_view> keys;
  for (const Option& option : options()) {
    const bool other = std::ranges::any_of(
        others, [&](std::string_view prefix) { return option.key.starts_with(prefix); });
    if (other && option.get(config) != option.get(Config{})) keys.push_back(option.key);
  }
  return keys;
}

}  // namespace spsolve::config
