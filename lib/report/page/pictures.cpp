#include "report/page/pictures.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "plan/memory_plan.hpp"
#include "report/page/page.hpp"
#include "report/page/svg.hpp"
#include "report/page/units.hpp"
#include "solve/inverse.hpp"

namespace spsolve::inline report {

namespace {

using Json = nlohmann::ordered_json;

/// The most bars that a picture has.
constexpr std::size_t most_bars = 16;

double number_in(const Json& object, const char* key) {
  return number_at(object, fmt::format("/{}", key).c_str()).value_or(0);
}

/// The seconds of phases, without those of less than a hundredth of the whole.
std::string phases(const std::string& key, const Json& spread, bool iterates, bool several) {
  std::vector<svg::Bar> bars;
  const double whole = spread.contains("total") ? number_in(spread["total"], "max") : 0;
  double small = 0;
  for (const auto& [phase, seconds] : spread.items()) {
    const double mean = number_in(seconds, "mean"), most = number_in(seconds, "max");
    if (phase == "total") continue;
    if (most < 0.01 * whole) {
      small += mean;
      continue;
    }
    const std::string words =
        iterates && phase == "eliminate" ? "iteration" : words_for_phase(phase);
    bars.push_back({words, mean, number_in(seconds, "min"), most, duration_text(mean)});
  }
  if (small > 0) bars.push_back({"all others", small, small, small, duration_text(small)});
  const std::string title = key == "seconds"         ? "Time: " + duration_text(whole) + " in all"
                            : key == "product_parts" ? "Time of a product"
                                                     : words_for_name(key);
  return svg::bars(title, several ? "mean over the ranks, from the fastest to the slowest" : "",
                   bars);
}

/// The backward errors from the first solution to the last, or "" where there are none.
std::string convergence(const Json& report) {
  const Json history = report.value("/refinement/history"_json_pointer, Json::array());
  if (history.empty()) return "";
  std::vector<svg::Line> lines{{"in norms", {}}, {"by components", {}}};
  std::vector<std::string> labels;
  for (const Json& quality : history) {
    lines[0].values.push_back(number_in(quality, "backward_error"));
    lines[1].values.push_back(number_in(quality, "componentwise_error"));
    labels.push_back(labels.empty() ? "first x" : fmt::format("sweep {}", labels.size()));
  }
  return svg::steps("Backward error by refinement", lines, labels,
                    {{"unit round-off", unit_roundoff}});
}

/// The backward errors by the steps of a Krylov method, or "" where there were none.
std::string krylov_steps(const Json& report) {
  const Json history = report.value("/krylov/history"_json_pointer, Json::array());
  if (history.size() < 2) return "";
  svg::Line line{"by the recurrences of the method", {}};
  std::vector<std::string> labels;
  for (const Json& error : history) {
    line.values.push_back(error.is_number() ? error.get<double>() : 0);
    labels.push_back(fmt::format("{}", labels.size()));
  }
  return svg::steps("Backward error by step", {line}, labels,
                    {{"asked for", number_in(report["krylov"], "asked")}});
}

/// Planned and measured memory of every rank, or of those that held the most.
std::string memory(const Json& report) {
  struct Held {
    std::string rank;
    double planned, peak;
  };
  std::vector<Held> ranks;
  for (const Json& place : report.value("rank_table", Json::array())) {
    const std::string rank = fmt::format("rank {:.0f}", number_in(place, "rank"));
    ranks.push_back(
        {rank, number_in(place, "planned_memory_bytes"), number_in(place, "peak_memory_bytes")});
    if (const auto peak = number_at(place, "/gpu/peak_memory_bytes")) {
      const double planned = number_at(place, "/gpu/planned_memory_bytes").value_or(0);
      ranks.push_back({rank + ", GPU", planned, *peak});
    }
  }
  if (ranks.empty()) return "";
  const bool all = ranks.size() <= most_bars;
  if (!all) {
    std::ranges::stable_sort(ranks, std::greater<>{}, &Held::peak);
    ranks.resize(most_bars);
  }
  std::vector<svg::Bar> bars;
  for (const Held& held : ranks) {
    bars.push_back({held.rank, held.peak, std::min(held.peak, held.planned),
                    std::max(held.peak, held.planned),
                    fmt::format("{}, planned {}", readable_bytes(std::int64_t(held.peak)),
                                readable_bytes(std::int64_t(held.planned)))});
  }
  return svg::bars(all ? "Memory" : "Memory of the largest ranks",
                   "the most that was held, whiskers to what was planned", bars);
}

/// The work of a sparse elimination by level of its tree, or "" where there was none.
std::string work_by_level(const Json& report) {
  const Json levels = report.value("/sparse/levels"_json_pointer, Json::array());
  std::vector<svg::Bar> bars;
  double flops = 0, fronts = 0, largest = 0;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    flops += number_in(levels[level], "flops");
    fronts += number_in(levels[level], "fronts");
    largest = std::max(largest, number_in(levels[level], "largest_front"));
    const bool last = level + 1 == levels.size();
    if (bars.size() + 1 == most_bars && !last) continue;
    const std::size_t first = bars.size();
    const bool below = first < level || level + 1 == FrontLevels::most;
    bars.push_back(
        {fmt::format("level {}{}", first, below ? "+" : ""), flops, flops, flops,
         fmt::format("{}, {} {} {}", magnitude_text(flops, "flop"), count_text(fronts),
                     fronts == 1 ? "front of" : "fronts of up to", counted_text(largest, "row"))});
    flops = fronts = largest = 0;
  }
  if (bars.empty()) return "";
  return svg::bars("Work by level of the elimination tree",
                   "its roots are at level 0; + stands for all below", bars);
}

}  // namespace

bool is_spread(const Json& value) {
  return value.is_object() && !value.empty() && std::ranges::all_of(value, [](const Json& member) {
           return member.is_object() && member.contains("min") && member.contains("mean") &&
                  member.contains("max");
         });
}

std::vector<std::string> report_pictures(const Json& report, const DrawnPatterns& patterns) {
  std::vector<std::string> pictures;
  const auto add = [&](const std::string& picture) {
    if (!picture.empty()) pictures.push_back(picture);
  };
  const bool several = number_at(report, "/ranks").value_or(1) > 1;
  if (report.contains("seconds") && is_spread(report["seconds"])) {
    add(phases("seconds", report["seconds"], report.contains("krylov"), several));
  }
  add(memory(report));
  // A dense matrix, and rows that are all alike, tell nothing in a picture.
  const auto& matrix = patterns.matrix;
  if (matrix && matrix->nonzeros < matrix->rows * matrix->columns) add(svg::pattern(*matrix));
  add(convergence(report));
  add(krylov_steps(report));
  for (const auto& [key, value] : report.items()) {
    if (key != "seconds" && is_spread(value)) add(phases(key, value, false, several));
  }
  if (const auto& drawn = patterns.in_order)
    add(svg::pattern("In the order of elimination", *drawn));
  if (const auto& drawn = patterns.factors) {
    add(svg::pattern(fmt::format("Its factors: {} entries", count_text(drawn->nonzeros)), *drawn));
  }
  add(work_by_level(report));
  if (matrix && std::ranges::count(matrix->row_length_histogram, 0) + 1 <
                    std::ssize(matrix->row_length_histogram)) {
    add(svg::row_lengths(*matrix));
  }
  return pictures;
}

}  // namespace spsolve::report
